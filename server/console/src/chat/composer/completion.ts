import { COMMANDS } from './commands.ts'

/** What is being written that can be completed. */
export interface Completable {
  kind: 'file' | 'command'
  /** What is there of it. */
  typed: string
  /** Where it begins in the text, with its sign. */
  start: number
}

/** One way to complete it. */
export interface Completion {
  value: string
  about: string
}

/** The word before the caret that begins with `@`, or the command that the text begins with. */
export function findCompletable(text: string, caret: number): Completable | undefined {
  const before = text.slice(0, caret)
  const command = /^\/([a-z]*)$/.exec(before)
  if (command !== null) return { kind: 'command', typed: command[1] ?? '', start: 0 }
  const start = before.lastIndexOf('@')
  const typed = before.slice(start + 1)
  const isWord =
    start !== -1 && typed.length <= 200 && !/\s/.test(typed) && (start === 0 || /\s/.test(before[start - 1] ?? ''))
  return isWord ? { kind: 'file', typed, start } : undefined
}

export const completeCommand = (typed: string): Completion[] =>
  COMMANDS.filter(([name]) => name.startsWith(typed)).map(([name, args, about]) => ({
    value: `/${name}`,
    about: args === '' ? about : `${args}: ${about}`,
  }))

/** The text with the completion in place of what was typed, and where the caret is then. */
export function complete(
  text: string,
  caret: number,
  { start }: Completable,
  value: string,
): { text: string; caret: number } {
  const after = text.slice(caret)
  const put = `${value}${/^\s/.test(after) ? '' : ' '}`
  const head = text.slice(0, start) + put
  return { text: head + after, caret: head.length }
}
