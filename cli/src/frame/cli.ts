import { VERSION } from '@svc/core/version'
import { type Order, readCommandLine } from '../line/command-line.ts'
import type { CommandSpec } from '../line/command-spec.ts'
import { URL_OPTION } from '../line/run-specs.ts'
import { SPECS } from '../line/specs.ts'
import type { Flags } from './flags.ts'
import { createIo, type Io } from './io.ts'
import type { ServerAddress } from './server-url.ts'

/** Parses the arguments, runs one command, and sets the exit code. */
export async function runCli(argv: readonly string[]): Promise<void> {
  const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
  const io = createIo({
    noInput: words.includes('--no-input'),
    noColor: words.includes('--no-color'),
    plain: words.includes('--plain'),
  })
  try {
    if (words.some((word) => word === '--version' || word === '-V')) io.out(`svc ${VERSION}\n`)
    else process.exitCode = await perform(readCommandLine(argv, SPECS), io)
  } catch (thrown) {
    const { reportError } = await import('./report-error.ts')
    const isVerbose = words.some((word) => /^(--verbose|-[hqV]*v[hqvV]*)$/.test(word))
    process.exitCode = reportError(thrown, io, wantsJson(words), isVerbose)
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

/** Runs a command. @returns the exit code */
async function perform(order: Order | undefined, io: Io): Promise<number> {
  if (order === undefined) return 0
  const { command: spec, words, options } = order
  const { readFlags } = await import('./flags.ts')
  const flags = readFlags(options, spec)
  const [{ createContext }, command] = await Promise.all([import('./context.ts'), spec.load()])
  return command.default(createContext(flags, io, await serverOf(spec, flags, io)), words, SPECS)
}

/** The server whose runtime a command is to use. */
async function serverOf({ options = [] }: CommandSpec, flags: Flags, { env }: Io): Promise<ServerAddress | undefined> {
  const isNamed = flags.url !== undefined || (env.SVC_URL ?? '') !== ''
  if (!isNamed || !options.includes(URL_OPTION)) return undefined
  const { findServer } = await import('./server-url.ts')
  return findServer(flags, env)
}
