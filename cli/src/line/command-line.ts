import type { ValidationError } from '@svc/core'
import { editDistance } from '@svc/core/text'
import { type CAC, type Command, cac } from 'cac'
import { actionsOf, type CommandSpec, flagsOf, nameOf, type Specs } from './command-spec.ts'
import { GivenOptions } from './given-options.ts'
import { layOutHelp } from './help.ts'
import { refuseExpanded } from './refuse-expanded.ts'
import { didYouMean, invalid, wrong } from './wrong.ts'

/** What a command line asks for. */
export interface Order {
  command: CommandSpec
  /** The words after its name. */
  words: string[]
  options: GivenOptions
}

/** Names from earlier versions. */
const RENAMED: Readonly<Record<string, string>> = { export: 'runs export', replay: 'runs replay' }

/** No command line can hold this sign: a text behind it is neither an option nor a number for cac. */
const MARK = '\0'

/**
 * Finds the command of a command line and reads its options, which cac parses. Four habits of cac would change what a
 * person wrote, so the words are prepared for it:
 *
 * 1. A lone dash is dropped, a text that looks like a number becomes one (`007`), and each word that begins with a dash is an
 *    option, also a negative number or a sentence. So texts stand behind a mark.
 * 2. A command is one word, and an option without its value takes the next word for it. So the two words of `runs list`
 *    become one, and the words of a command stand before its options.
 * 3. Of an option that is given twice all values count, and `--no-input` shares its name with `--input`. So switches with
 *    `--no-` go first, and the last value counts.
 * 4. `--q` would be `-q`. So cac knows no short names: they are written out.
 *
 * @returns undefined where help was asked for, which cac has printed
 * @throws ValidationError `validation_failed` for a command or an option that does not exist, lacks its value or has a word
 *   too many, with what was probably meant
 */
export function readCommandLine(argv: readonly string[], specs: Specs): Order | undefined {
  const { words, flags, prepared } = prepare(argv, specs)
  const isHelp = words[0] === 'help' && words.length <= 3
  if (isHelp) words.shift()
  const isBare = words.length === 1 && isGroup(specs, words[0]) && specs.groups[words[0] ?? '']?.usual === undefined
  const isAsked = isHelp || isBare || words.length === 0 || flags.includes('-h') || flags.includes('--help')
  const { name, rest } = words.length === 0 ? { name: '', rest: [] } : findCommand(words, specs, isAsked)
  let command: CommandSpec | undefined
  const cli = createCac(specs, name, (spec) => {
    command = spec
  })
  if (isAsked) {
    cli.parse(['node', 'svc', name, '--help'])
    return undefined
  }
  cli.parse(['node', 'svc', name, ...rest.map((word) => MARK + word), ...prepared], { run: false })
  cli.args = cli.args.map(unmark)
  checkFlags(flags, cli)
  try {
    cli.runMatchedCommand()
  } catch (thrown) {
    throw translate(thrown as Error, cli.matchedCommand as Command, specs)
  }
  if (command === undefined) throw new TypeError(`cac knows no ${name}`)
  const { choices = [] } = command
  const [word] = cli.args
  if (word !== undefined && choices.length > 0 && !choices.includes(word)) throw notAmong(name, word, choices)
  return { command, words: [...cli.args], options: new GivenOptions(cli.options, unmark) }
}

const isGroup = ({ groups }: Specs, word = ''): boolean => Object.hasOwn(groups, word)

/** The commands and options as cac knows them. */
function createCac(specs: Specs, topic: string, onCommand: (spec: CommandSpec) => void): CAC {
  const cli = cac('svc')
  cli.help((sections) => layOutHelp(sections, specs, topic))
  for (const [flags, about] of specs.options) if (!flags.includes('--help')) cli.option(flags, about)
  for (const spec of specs.commands) {
    const command = cli.command(spec.usage, spec.about).action(() => onCommand(spec))
    for (const [flags, about] of spec.options ?? []) command.option(flags, about)
    for (const example of spec.examples ?? []) command.example(`  ${example}`)
    if (spec.alias !== undefined) command.alias(spec.alias)
  }
  for (const { options } of [cli.globalCommand, ...cli.commands]) {
    for (const option of options) {
      option.names = [option.name]
      // As a default, `--no-input` would count as an `--input` without its value.
      delete option.config.default
    }
  }
  return cli
}

/** The texts of a command line, the options as they were named, and these with their values as cac is to read them. */
function prepare(
  argv: readonly string[],
  { commands, options }: Specs,
): { words: string[]; flags: string[]; prepared: string[] } {
  const all = [...options, ...commands.flatMap((spec) => spec.options ?? [])]
  const valued = new Set(all.filter(([flags]) => flags.includes('<')).flatMap(flagsOf))
  const longs = new Map(all.flatMap((spec) => flagsOf(spec).map((flag) => [flag, flagsOf(spec).at(-1) ?? flag])))
  const words: string[] = []
  const flags: string[] = []
  const prepared: string[][] = []
  const left = [...argv]
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') words.push(...left.splice(0))
    else if (isText(word)) words.push(word)
    else {
      const [flag, value] = split(word)
      const each = /^-[A-Za-z]{2,}$/.test(flag) ? [...flag.slice(1)].map((letter) => `-${letter}`) : [flag]
      flags.push(...each)
      const isNegative = flag.startsWith('--no-')
      const [next] = left
      if (valued.has(flag) && (value ?? next) === '') throw invalid(flag, 'needs a value')
      if (value !== undefined) prepared.push([`${flag}=${valued.has(flag) ? MARK + value : toSwitch(flag, value)}`])
      else if (valued.has(flag) && next !== undefined && isText(next)) {
        prepared.push([flag, MARK + left.shift()])
        if (flag === '--file') refuseExpanded(next, left[0])
      } else if (isNegative) prepared.unshift([flag])
      else prepared.push(each.map((one) => longs.get(one) ?? one))
    }
  }
  return { words, flags, prepared: prepared.flat() }
}

/** A lone dash, a negative number, and a word with a space before any `=` are no options. */
const isText = (word: string): boolean => !/^--?[^\s=-][^\s=]*(=|$)/.test(word) || /^-[\d.]/.test(word)

function split(word: string): [flag: string, value: string | undefined] {
  const at = word.indexOf('=')
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}

function toSwitch(flag: string, value: string): string {
  if (value === 'true' || value === 'false') return value
  throw invalid(flag, `is a switch and takes no value, not "${value}"`)
}

const unmark = (text: string): string => (text.startsWith(MARK) ? text.slice(MARK.length) : text)

/**
 * The command that the first words name, and the words after it. One text with a space is a task; one bare word is more
 * likely a mistyped command.
 *
 * @param isHelp whether a group of commands will do
 */
function findCommand(words: readonly string[], specs: Specs, isHelp: boolean): { name: string; rest: string[] } {
  const [first = '', second] = words
  const names = new Set(
    specs.commands.flatMap((spec) => [nameOf(spec), ...(spec.alias === undefined ? [] : [spec.alias])]),
  )
  if (names.has(`${first} ${second}`)) return { name: `${first} ${second}`, rest: words.slice(2) }
  if (names.has(first)) return { name: first, rest: words.slice(1) }
  if (isGroup(specs, first)) {
    if (isHelp) return { name: first, rest: [] }
    if (second !== undefined) throw notAmong(first, second, [...actionsOf(specs, first).keys()])
    return { name: `${first} ${specs.groups[first]?.usual}`, rest: [] }
  }
  const isTask = words.length === 1 && (/\s/.test(first.trim()) || first === '-')
  if (isTask || words.every((word) => word.trim() === '')) return { name: 'run', rest: [...words] }
  throw notCommand(words, [...names, ...Object.keys(specs.groups), 'help'])
}

/** Options that exist, but not for this command, are as wrong as those that do not. */
function checkFlags(flags: readonly string[], { matchedCommand, globalCommand }: CAC): void {
  const options = [...(matchedCommand?.options ?? []), ...globalCommand.options]
  const known = options.flatMap(({ rawName }) => flagsOf([rawName, '']))
  const unknown = flags.find((flag) => !known.includes(flag))
  if (unknown === undefined) return
  const of = `svc ${matchedCommand?.name}`
  const longs = known.filter((flag) => flag.startsWith('--'))
  throw invalid(unknown, `is no option of ${of}${didYouMean(unknown, longs, `: see ${of} --help`)}`)
}

/** What cac says of options and words, with what to do. */
function translate(error: Error, { name }: Command, { commands }: Specs): Error {
  const [kind, quoted = ''] = error.message.split('`')
  if (kind === 'option ') return invalid(flagsOf([quoted, '']).at(-1) ?? quoted, 'needs a value')
  const unused = /^Unused args: (.*)$/s.exec(error.message)?.[1]
  if (unused !== undefined)
    return wrong(`svc ${name}: too many words: ${unused.replaceAll('`', '"').slice(0, 200)}: see svc ${name} --help`)
  if (!error.message.startsWith('missing required args')) return error
  const spec = commands.find((one) => nameOf(one) === name)
  return wrong(`svc ${name} needs ${spec?.needs}`)
}

function notCommand(words: readonly string[], names: readonly string[]): ValidationError {
  const [first = ''] = words
  const task = `svc run "${words.join(' ').slice(0, 200)}"`
  const now = Object.hasOwn(RENAMED, first) ? RENAMED[first] : undefined
  if (now !== undefined) return wrong(`svc ${first} is svc ${now} now: see svc ${now} --help. For a task use ${task}`)
  const [guess] = [...new Set(names.map((name) => name.split(' ')[0] ?? ''))]
    .map((name) => ({ name, distance: editDistance(first.toLowerCase(), name, 2) }))
    .filter(({ distance }) => distance <= 2)
    .sort((a, b) => a.distance - b.distance)
  const hint = guess === undefined ? `for a task use ${task}` : `did you mean svc ${guess.name}? For a task use ${task}`
  return wrong(`there is no command "${first.slice(0, 200)}": ${hint}`)
}

const notAmong = (name: string, word: string, known: readonly string[]): ValidationError =>
  wrong(`svc ${name} has no "${word.slice(0, 200)}"${didYouMean(word, known)} It has ${known.join(', ')}`)
