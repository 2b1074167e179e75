import { VERSION } from '@svc/core/version'
import type { CommandSpec, OptionSpec } from './command-spec.ts'
import { COMMANDS, GLOBAL_OPTIONS } from './specs.ts'
import { wrap } from './wrap.ts'

const WIDTH = 80

/** What `svc --help` prints, or `svc <command> --help`. */
export function renderHelp(command?: string): string {
  const spec = command === undefined || !Object.hasOwn(COMMANDS, command) ? undefined : COMMANDS[command]
  const sections = spec === undefined ? general() : ofCommand(spec)
  return `${sections.map(([title, lines]) => [title, ...lines.map((line) => `  ${line}`)].join('\n')).join('\n\n')}\n`
}

type Section = readonly [title: string, lines: readonly string[]]

const general = (): Section[] => [
  [`svc ${VERSION}: one agent or many on a task`, []],
  ['Usage', ['svc "<task>"', 'svc <command> [options]']],
  [
    'Commands',
    columns(
      Object.values(COMMANDS)
        .filter(({ isAlias }) => isAlias !== true)
        .map(({ usage, about }) => [shown(usage).replace('<task>', '"<task>"'), about]),
    ),
  ],
  ['Options of every command', optionLines(GLOBAL_OPTIONS)],
  ['Examples', Object.values(COMMANDS).flatMap(({ examples = [], isAlias }) => (isAlias ? [] : examples.slice(0, 1)))],
  [
    'Exit codes',
    columns([
      ['0', 'done'],
      ['1', 'the run failed, or standard output could not be written'],
      ['2', 'wrong command or option'],
      ['3', 'configuration or trust'],
      ['4', 'the server refuses the key'],
      ['5', 'provider or network'],
      ['6', 'incomplete: a limit was reached, a check failed, or nothing was found; the answer is printed'],
      ['7', 'refused by policy, or a call that the task needed was denied'],
      ['70', 'a bug in svc'],
      ['124', 'not done within --timeout'],
      ['130, 143', 'stopped by Ctrl-C or SIGTERM'],
      ['141', 'the reader of standard output has gone'],
    ]),
  ],
  ['svc help <command> shows the options of a command.', []],
]

const ofCommand = ({ usage, about, actions = [], options = [], examples = [] }: CommandSpec): Section[] => [
  [`svc ${shown(usage)}: ${about}`, []],
  ...(actions.length === 0 ? [] : [['Actions', columns(actions)] as const]),
  ...(options.length === 0 ? [] : [['Options', optionLines(options)] as const]),
  ['Options of every command', optionLines(GLOBAL_OPTIONS)],
  ...(examples.length === 0 ? [] : [['Examples', examples] as const]),
]

const shown = (usage: string): string => usage.replace('[...task]', '<task>').replace('[...words]', '[...]')

const optionLines = (options: readonly OptionSpec[]): string[] =>
  columns(options.map(([flags, about]) => [flags.startsWith('--') ? `    ${flags}` : flags, about]))

/** Two columns; what does not fit goes on under the second. */
function columns(rows: readonly (readonly [string, string])[]): string[] {
  const left = Math.max(...rows.map(([head]) => head.length)) + 2
  return rows.flatMap(([head, text]) => {
    const [first = '', ...more] = wrap(text, WIDTH - left - 2)
    return [head.padEnd(left) + first, ...more.map((line) => ' '.repeat(left) + line)]
  })
}
