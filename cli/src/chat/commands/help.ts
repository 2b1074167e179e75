import type { ValidationError } from '@svc/core'
import { type Io, toSafe } from '../../frame/io.ts'
import type { CommandSource } from '../../input/slash-commands.ts'
import { didYouMean, wrong } from '../../line/wrong.ts'
import { pad, toLines, widthOf } from '../../render/width.ts'
import type { Completion } from '../editor/input.ts'
import type { Chat } from './chat.ts'
import { AT_TERMINAL, COMMANDS, KEYS, MARKS, PLAIN_KEYS } from './specs.ts'

/** A command, such as `/plan`, what follows its name, and what it does. */
type Command = readonly [name: string, args: string, about: string]

/** A longer name has a line of its own. */
const MOST_NAME = 22

/** Every command: those of the conversation itself go before others of the same name. */
export async function listCommands(sources: readonly CommandSource[], isAtTerminal: boolean): Promise<Command[]> {
  const lists = await Promise.all(sources.map((source) => source.list()))
  const flat = (text: string): string => toSafe(text).replace(/\s+/g, ' ')
  const own = Object.entries(COMMANDS).filter(([name]) => isAtTerminal || !AT_TERMINAL.has(name))
  const others = lists.flat().filter(({ name }) => !Object.hasOwn(COMMANDS, name))
  return [
    ...own.map(([name, [args, about]]): Command => [`/${name}`, args, about]),
    ...others.map(
      ({ name, argumentHint = '', description = '' }): Command => [`/${name}`, flat(argumentHint), flat(description)],
    ),
  ]
}

/** `/help`: what there is beside tasks. */
export async function sayHelp({ context: { io }, sources, screen }: Chat): Promise<void> {
  const commands = await listCommands(sources, screen !== undefined)
  const keys = io.isInteractive ? PLAIN_KEYS : []
  io.err(`${screen === undefined ? renderHelp(commands, keys) : layOutHelp(commands, io)}\n`)
}

/** Help as plain lines. */
function renderHelp(commands: readonly Command[], keys: typeof PLAIN_KEYS): string {
  const lines = commands.map(([name, args, about]) => `${name} ${[args, about].filter(Boolean).join(': ')}`)
  return [...lines, ...[...MARKS, ...keys].map(([name, about]) => `${name} ${about}`)]
    .map((line) => `  ${line}`.trimEnd())
    .join('\n')
}

/** Help at a terminal: two columns, with the keys. */
function layOutHelp(commands: readonly Command[], { columns, paint }: Io): string {
  const rows = [...commands.map(([name, args, about]) => [`${name} ${args}`.trim(), about] as const), ...MARKS, ...KEYS]
  const room = Math.max(...rows.map(([name]) => widthOf(name)).filter((width) => width <= MOST_NAME))
  const gap = ' '.repeat(room + 4)
  return rows
    .flatMap(([name, about]) => {
      const [first = '', ...more] = toLines(about, Math.max(2, columns - room - 5)).map((line) => line.trimEnd())
      const head = `  ${paint.bold(pad(name, room))}  `
      const isLong = widthOf(name) > room
      return [...(isLong ? [head.trimEnd(), gap + first] : [head + first]), ...more.map((line) => gap + line)]
    })
    .join('\n')
}

/** What completes a slash and the beginning of a name. */
export function completeCommand(commands: readonly Command[], word: string): Completion {
  const known = commands.filter(([name]) => IS_NAME.test(name))
  const begins = known.filter(([name]) => name.startsWith(word))
  const found = begins.length > 0 ? begins : known.filter(([name]) => name.includes(word.slice(1)))
  const choices = found.map(([name, args, about]) => ({
    label: `${name} ${args}`.trim(),
    about,
    value: args === '' ? name : `${name} `,
  }))
  return { from: 0, choices }
}

const IS_NAME = /^\/[\w:-]+$/

/** That a command is unknown, with the nearest one. */
export function unknownCommand(command: string, commands: readonly Command[]): ValidationError {
  const known = commands.map(([name]) => name).filter((name) => IS_NAME.test(name))
  return wrong(`there is no ${command}${didYouMean(command, known, `: there are ${known.join(', ')}`)}`)
}
