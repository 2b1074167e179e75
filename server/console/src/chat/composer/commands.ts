import { nearest } from '@svc/core/client'

/** What can be done by a message that begins with a slash. */
export const COMMANDS = [
  ['plan', '<task>', 'Plan a task without running it'],
  ['model', '<provider/model>', 'Ask another model from now on; alone: the default again'],
  ['compact', '<focus>', 'Sum the conversation up, and go on from that'],
  ['undo', '', 'Put back the files that the last turn changed'],
  ['cost', '', 'Tokens and cost of this conversation'],
  ['new', '', 'Begin a new conversation'],
  ['help', '', 'What can be written here'],
] as const
export type CommandName = (typeof COMMANDS)[number][0]

/** The command that a message is: its name and what follows; undefined of a task, such as one about `/etc/hosts`. */
export function readCommand(text: string): { name: CommandName; rest: string } | { unknown: string } | undefined {
  const [, word, rest = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? []
  if (word === undefined) return undefined
  const known = COMMANDS.find(([name]) => name === word)
  if (known !== undefined) return { name: known[0], rest: rest.trim() }
  const guess = nearest(
    word,
    COMMANDS.map(([name]) => name),
  )
  const hint =
    guess === undefined ? `There are ${COMMANDS.map(([name]) => `/${name}`).join(', ')}.` : `Do you mean /${guess}?`
  return { unknown: `There is no /${word} here. ${hint}` }
}
