import { ValidationError } from '@svc/core'
import { editDistance } from '@svc/core/text'
import { VERSION } from '@svc/core/version'
import { cac } from 'cac'
import type { CommandSpec } from './command-spec.ts'
import type { Flags } from './flags.ts'
import { createIo, type Io } from './io.ts'
import type { Options } from './options.ts'
import { parseArguments } from './parse-arguments.ts'
import type { ServerAddress } from './server-url.ts'
import { COMMANDS, GLOBAL_OPTIONS, URL_OPTION } from './specs.ts'

/** Parses the arguments, runs one command, and sets the exit code. */
export async function runCli(argv: readonly string[]): Promise<void> {
  const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
  const io = createIo({ noInput: words.includes('--no-input'), noColor: words.includes('--no-color') })
  try {
    process.exitCode = await dispatch(argv, io)
  } catch (thrown) {
    const { reportError } = await import('./report-error.ts')
    const verbose = words.some((word) => /^(--verbose|-[hqV]*v[hqvV]*)$/.test(word))
    process.exitCode = reportError(thrown, io, wantsJson(words), verbose)
  }
}

/** Whether a program reads the output; asked before the options are known to be right. */
const wantsJson = (words: readonly string[]): boolean =>
  words.some(
    (word, at) =>
      word === '--json' ||
      /^--output=(stream-)?json$/.test(word) ||
      (word === '--output' && /^(stream-)?json$/.test(words[at + 1] ?? '')),
  )

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const { positional, options } = parseArguments(argv)
  const [first, ...rest] = positional
  if (options.version === true) {
    io.out(`svc ${VERSION}\n`)
    return 0
  }
  const asksHelp = first === 'help' && rest.length < 2
  if (first === undefined || asksHelp || options.help === true) {
    const [about] = asksHelp ? rest : positional
    if (asksHelp && about !== undefined && !Object.hasOwn(COMMANDS, about)) throw notCommand([about])
    const { renderHelp } = await import('./help.ts')
    io.out(renderHelp(about))
    return 0
  }
  let work: Promise<number> | undefined
  const cli = cac('svc')
  for (const spec of Object.values(COMMANDS)) {
    cli.command(spec.usage, spec.about).action(() => {
      work = perform(spec, rest, options, io)
    })
  }
  cli.parse(['node', 'svc', first], { run: false })
  if (cli.matchedCommand === undefined) {
    // One text is a task, if an empty one. One bare word is more likely a mistyped command.
    const isEmpty = positional.every((word) => word.trim() === '')
    if (!isEmpty && (rest.length > 0 || (!/\s/.test(first.trim()) && first !== '-'))) throw notCommand(positional)
    return perform(COMMANDS.run as CommandSpec, positional, options, io)
  }
  cli.args = rest
  cli.runMatchedCommand()
  return (await work) ?? 0
}

async function perform(spec: CommandSpec, words: string[], options: Options, io: Io): Promise<number> {
  const { readFlags } = await import('./flags.ts')
  const flags = readFlags(options)
  const [{ createContext }, command] = await Promise.all([import('./context.ts'), spec.load()])
  return command.default(createContext(flags, io, await serverOf(spec, flags, io)), words, {
    commands: COMMANDS,
    options: GLOBAL_OPTIONS,
  })
}

/** The server whose runtime a command is to use. */
async function serverOf({ options }: CommandSpec, flags: Flags, { env }: Io): Promise<ServerAddress | undefined> {
  const isNamed = flags.url !== undefined || (env.SVC_URL ?? '') !== ''
  if (!isNamed || options?.includes(URL_OPTION) !== true) return undefined
  const { findServer } = await import('./server-url.ts')
  return findServer(flags, env)
}

function notCommand(words: readonly string[]): ValidationError {
  const [first = ''] = words
  const [guess] = [...Object.keys(COMMANDS), 'help']
    .map((name) => ({ name, distance: editDistance(first.toLowerCase(), name, 2) }))
    .filter(({ distance }) => distance <= 2)
    .sort((a, b) => a.distance - b.distance)
  const task = `svc run "${words.join(' ').slice(0, 200)}"`
  const hint = guess === undefined ? `for a task use ${task}` : `did you mean svc ${guess.name}? For a task use ${task}`
  return new ValidationError('validation_failed', `there is no command "${first.slice(0, 200)}": ${hint}`)
}
