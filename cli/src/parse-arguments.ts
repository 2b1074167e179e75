import { existsSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { ValidationError } from '@svc/core'
import { nearest } from '@svc/core/text'
import type { OptionSpec } from './command-spec.ts'
import type { Options } from './options.ts'
import { COMMANDS, GLOBAL_OPTIONS } from './specs.ts'

/** The arguments of a command line. */
export interface Arguments {
  /** Arguments that are no options: the command's name first, where there is one. */
  positional: string[]
  options: Options
}

interface Option {
  name: string
  takesValue: boolean
  many: boolean
  commands: Set<string | undefined>
}

/**
 * Parses the arguments itself and leaves to cac which command they name: cac's parser turns `-` into nothing, texts that look
 * like numbers into numbers, and a switch that is given twice into a list.
 *
 * Of an option that is given twice the last one counts. What looks like an option but has a space in its name is a text.
 *
 * @throws ValidationError `validation_failed` for an option that does not exist, lacks its value or has one too many
 */
export function parseArguments(argv: readonly string[]): Arguments {
  const known = index()
  const positional: string[] = []
  const given: { option: Option; shown: string }[] = []
  const options: Options = {}
  const set = (option: Option, shown: string, value: string | boolean): void => {
    given.push({ option, shown })
    const before = options[option.name]
    if (option.many && typeof value === 'string')
      options[option.name] = [...(Array.isArray(before) ? before : []), value]
    else options[option.name] = value
  }
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ''
    if (word === '--') {
      positional.push(...argv.slice(i + 1))
      break
    }
    if (isText(word)) {
      positional.push(word)
      continue
    }
    const equals = word.indexOf('=')
    const name = equals === -1 ? word : word.slice(0, equals)
    if (/^-[A-Za-z]{2,}$/.test(name) && equals === -1) {
      for (const letter of name.slice(1)) set(toSwitch(`-${letter}`, known, argv), `-${letter}`, true)
      continue
    }
    const option = find(name, known, argv)
    if (!option.takesValue) {
      set(option, name, equals === -1 ? true : toBoolean(name, word.slice(equals + 1)))
      continue
    }
    const value = equals === -1 ? argv[++i] : word.slice(equals + 1)
    if (value === undefined || value === '' || (equals === -1 && !isText(value))) throw invalid(name, 'needs a value')
    set(option, name, value)
    if (equals === -1 && option.name === 'file') refuseExpanded(value, argv[i + 1])
  }
  const [command] = positional
  if (command !== undefined && Object.hasOwn(COMMANDS, command)) {
    for (const { option, shown } of given) {
      if (!option.commands.has(undefined) && !option.commands.has(command)) throw unknown(shown, command, known)
    }
  }
  return { positional, options }
}

/** A lone dash, a negative number, and a word with a space before any `=` are no options. */
const isText = (word: string): boolean => !/^--?[^\s=-][^\s=]*(=|$)/.test(word) || /^-[\d.]/.test(word)

/**
 * A shell makes several paths of a pattern: the second would be taken for the task.
 *
 * @throws ValidationError `validation_failed` where what follows a path of `--file` is a path too
 */
function refuseExpanded(path: string, next: string | undefined): void {
  if (next === undefined || !existsSync(next) || !(next.includes('/') || statSync(next).isFile())) return
  const pattern = posix.join(posix.dirname(path), `*${posix.extname(path)}`)
  throw invalid(
    '--file',
    `takes one path, but ${next.slice(0, 80)} follows ${path.slice(0, 80)}, as where a shell has expanded a pattern: quote it, as in --file '${pattern}', or write --file before each path`,
  )
}

/** Every option of every command by its flags. The same flag means the same everywhere. */
function index(): Map<string, Option> {
  const known = new Map<string, Option>()
  const add = ([flags, , many]: OptionSpec, command: string | undefined): void => {
    const names = flags.replace(/ .<.*|(?:(?<!\s)\s+)?<.*/, '').split(', ')
    const long = names.at(-1) ?? ''
    const option = known.get(long) ?? {
      name: toCamel(long.slice(2)),
      takesValue: flags.includes('<'),
      many: many === 'many',
      commands: new Set(),
    }
    option.commands.add(command)
    for (const name of names) known.set(name, option)
  }
  for (const option of GLOBAL_OPTIONS) add(option, undefined)
  for (const [command, { options = [] }] of Object.entries(COMMANDS)) for (const option of options) add(option, command)
  return known
}

const toCamel = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

function find(name: string, known: ReadonlyMap<string, Option>, argv: readonly string[]): Option {
  const option = known.get(name)
  if (option !== undefined) return option
  throw unknown(
    name,
    argv.find((word) => Object.hasOwn(COMMANDS, word)),
    known,
  )
}

function toSwitch(name: string, known: ReadonlyMap<string, Option>, argv: readonly string[]): Option {
  const option = find(name, known, argv)
  if (option.takesValue) throw invalid(name, 'needs a value')
  return option
}

function toBoolean(name: string, value: string): boolean {
  if (value === 'true') return true
  if (value === 'false') return false
  throw invalid(name, `is a switch and takes no value, not "${value}"`)
}

function unknown(name: string, command: string | undefined, known: ReadonlyMap<string, Option>): ValidationError {
  const own = [...known].flatMap(([flag, { commands }]) =>
    flag.startsWith('--') && (commands.has(undefined) || command === undefined || commands.has(command)) ? [flag] : [],
  )
  const guess = nearest(name, own)
  const of = command === undefined ? 'svc' : `svc ${command}`
  return invalid(
    name,
    `is no option of ${of}${guess === undefined ? `: see ${of} --help` : `: did you mean ${guess}?`}`,
  )
}

const invalid = (name: string, message: string): ValidationError =>
  new ValidationError('validation_failed', `${name} ${message}`, {
    errors: [{ path: `/${name.replace(/^-+/, '')}`, message }],
  })
