import { ValidationError } from '@svc/core'
import { editDistance, nearest } from '@svc/core/text'
import { actionsOf, type CommandSpec, findSpec, flagsOf, nameOf, type OptionSpec, type Specs } from './command-spec.ts'
import { GivenOptions, invalid } from './given-options.ts'
import { type Given, readWords } from './read-words.ts'

/** What a command line asks for: a command, or the help page of a command or a group, or of svc, whose name is empty. */
export type Order =
  | { helpOn: string }
  | {
      command: CommandSpec
      /** The words after its name. */
      words: string[]
      options: GivenOptions
    }

/** Names from earlier versions. */
const RENAMED: Readonly<Record<string, string>> = { export: 'runs export', replay: 'runs replay' }

/**
 * Finds the command of a command line and reads its options.
 *
 * @throws ValidationError `validation_failed` for a command or an option that does not exist, lacks its value or has a word
 *   too many, with what was probably meant
 */
export function readCommandLine(argv: readonly string[], specs: Specs): Order {
  const { words, given } = readWords(argv, specs)
  const isHelp = words[0] === 'help' && words.length <= 3
  if (isHelp) words.shift()
  if (words.length === 0) return { helpOn: '' }
  const isAsked = isHelp || given.some(({ flag }) => flag === '-h' || flag === '--help')
  const { name, rest } = findCommand(words, specs, isAsked)
  if (isAsked) return { helpOn: name }
  const command = findSpec(name, specs)
  if (command === undefined) throw new TypeError(`there is no code for svc ${name}`)
  const options = toOptions(given, command, specs)
  checkWords(rest, command)
  return { command, words: rest, options }
}

/**
 * The command that the first words name, and the words after it. One text with a space is a task; one bare word is more
 * likely a mistyped command.
 *
 * @param isHelp whether a group of commands will do
 */
function findCommand(words: readonly string[], specs: Specs, isHelp: boolean): { name: string; rest: string[] } {
  const [first = '', second] = words
  const names = specs.commands.flatMap((spec) => [nameOf(spec), ...(spec.alias === undefined ? [] : [spec.alias])])
  if (names.includes(`${first} ${second}`)) return { name: `${first} ${second}`, rest: words.slice(2) }
  if (names.includes(first)) return { name: first, rest: words.slice(1) }
  if (Object.hasOwn(specs.groups, first)) {
    if (isHelp) return { name: first, rest: [] }
    if (second !== undefined) throw notAmong(first, second, [...actionsOf(specs, first).keys()])
    return { name: `${first} ${specs.groups[first]?.usual}`, rest: [] }
  }
  const isTask = words.length === 1 && (/\s/.test(first.trim()) || first === '-')
  if (isTask || words.every((word) => word.trim() === '')) return { name: 'run', rest: [...words] }
  throw notCommand(words, [...names, ...Object.keys(specs.groups), 'help'])
}

/** Options that exist, but not for this command, are as wrong as those that do not. */
function toOptions(given: readonly Given[], command: CommandSpec, specs: Specs): GivenOptions {
  const known = [...(command.options ?? []), ...specs.options]
  const options = new GivenOptions()
  const found = given.map(({ flag, value }) => ({ value, option: findOption(flag, known, command) }))
  for (const { option, value } of found) {
    const flag = flagsOf(option).at(-1) ?? ''
    if (value === undefined) throw invalid(flag, 'needs a value')
    options.add(flag, value)
  }
  return options
}

function findOption(flag: string, known: readonly OptionSpec[], command: CommandSpec): OptionSpec {
  const option = known.find((one) => flagsOf(one).includes(flag))
  if (option !== undefined) return option
  const of = `svc ${nameOf(command)}`
  const guess = nearest(
    flag,
    known.flatMap(flagsOf).filter((one) => one.startsWith('--')),
  )
  throw invalid(flag, `is no option of ${of}${guess === undefined ? `: see ${of} --help` : `: did you mean ${guess}?`}`)
}

/** There are as many words as the usage of a command has places, and the first is one of its choices. */
function checkWords(words: readonly string[], command: CommandSpec): void {
  const { usage, choices = [], needs } = command
  const name = nameOf(command)
  const places = usage.match(/[<[][^>\]]*/g) ?? []
  if (words.length < places.filter((place) => place.startsWith('<')).length) throw wrong(`svc ${name} needs ${needs}`)
  const [word] = words
  const unused = places.some((place) => place.includes('...')) ? [] : words.slice(places.length)
  if (unused.length > 0) {
    const quoted = unused.map((one) => `"${one}"`).join(', ')
    throw wrong(`svc ${name}: too many words: ${quoted.slice(0, 200)}: see svc ${name} --help`)
  }
  if (word !== undefined && choices.length > 0 && !choices.includes(word)) throw notAmong(name, word, choices)
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

function notAmong(name: string, word: string, known: readonly string[]): ValidationError {
  const guess = nearest(word, known)
  const hint = guess === undefined ? '' : `: did you mean ${guess}?`
  return wrong(`svc ${name} has no "${word.slice(0, 200)}"${hint} It has ${known.join(', ')}`)
}

const wrong = (message: string): ValidationError => new ValidationError('validation_failed', message)
