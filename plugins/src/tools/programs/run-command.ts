import { constants } from 'node:os'
import type { Tool, ToolContext } from '@svc/core'
import * as Type from 'typebox'
import { checkArgs } from '../configured/check-args.ts'
import type { ProgramRunner } from '../sandbox/program-runner.ts'
import { whyAskAboutProgram } from './ask-about-program.ts'
import type { Ended, Printed } from './run-program.ts'

const TIMEOUT_MS = 30_000
const MOST_MS = 600_000
/** Of each output: what a model is shown of its beginning and its end, and what is streamed. */
const HEAD_BYTES = 8_192
const TAIL_BYTES = 16_384
const STREAM_BYTES = 524_288

const timeoutMs = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MOST_MS, description: `Most milliseconds it may take. Default ${TIMEOUT_MS}.` }),
)
const command = Type.Object(
  {
    command: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 1000,
      description: 'Program and arguments, such as ["node", "--test"]. No shell reads them.',
    }),
    timeoutMs,
  },
  { additionalProperties: false },
)
const script = Type.Object(
  {
    script: Type.String({ minLength: 1, maxLength: 65_536, description: 'Script for /bin/sh.' }),
    timeoutMs,
  },
  { additionalProperties: false },
)

/** What came of a program. */
export interface CommandResult {
  /** 128 and its number where a signal ended the program. */
  exitCode: number
  stdout: string
  stderr: string
  /** True where an output was too long: the beginning and the end of it are kept. */
  truncated: boolean
}

/**
 * Runs a program in the workspace and answers `{ exitCode, stdout, stderr, truncated }`; another code than 0 is a result like
 * any. Network: where the config lets this command have it.
 */
export const createRunCommand = (runner: ProgramRunner): Tool =>
  createProgramTool(runner, {
    id: 'run_command',
    description:
      'Runs a program in the workspace, without a shell and in a sandbox: it sees the workspace and the installed programs, and by default no network. Use it to run tests and builds. Returns its exit code and what it printed.',
    parameters: { ...command },
    read: (args) => {
      const given = checkArgs('run_command', command, args)
      return { argv: given.command, touched: given.command, timeoutMs: given.timeoutMs, shown: '' }
    },
  })

/** Runs a script of `/bin/sh` as `run_command` runs a program. Offered where the config has `policy.shell`. */
export const createShell = (runner: ProgramRunner): Tool =>
  createProgramTool(runner, {
    id: 'shell',
    description:
      'Runs a script of /bin/sh in the workspace, in a sandbox: it sees the workspace and the installed programs, and by default no network. Returns its exit code and what it printed.',
    parameters: { ...script },
    read: (args) => {
      const given = checkArgs('shell', script, args)
      const argv = ['/bin/sh', '-c', given.script]
      return { argv, touched: given.script, timeoutMs: given.timeoutMs, shown: `${given.script}\n\n` }
    },
  })

/** What a call of such a tool asks for. */
interface Asked {
  argv: readonly string[]
  /** What the rules look at. */
  touched: string | readonly string[]
  timeoutMs: number | undefined
  /** Stands before what a preview says of every program. */
  shown: string
}

function createProgramTool(
  runner: ProgramRunner,
  { read, ...facts }: Pick<Tool, 'id' | 'description' | 'parameters'> & { read(args: unknown): Asked },
): Tool {
  return {
    ...facts,
    ...FACTS,
    touches: async (args) => ({ command: read(args).touched }),
    alwaysAsks: (_, context) => whyAskAboutProgram(runner, context),
    confinement: (args) => runner.confinement(runner.reachesNetwork(read(args).argv)),
    async preview(args) {
      const { argv, shown, timeoutMs } = read(args)
      return shown + (await describe(runner, runner.reachesNetwork(argv), timeoutMs))
    },
    async run(args, context) {
      const { argv, timeoutMs } = read(args)
      return run(runner, argv, timeoutMs, context)
    },
  }
}

const FACTS = {
  risk: 'execute',
  keepsChanges: true,
  idempotent: false,
  // the program is ended before, with what it printed in the error
  timeoutMs: MOST_MS + 10_000,
  maxOutputBytes: 65_536,
} as const

async function run(
  runner: ProgramRunner,
  argv: readonly string[],
  limitMs: number | undefined,
  context: ToolContext,
): Promise<CommandResult> {
  const ended = await runner.run(argv, context, {
    timeoutMs: limitMs ?? TIMEOUT_MS,
    network: runner.reachesNetwork(argv),
    writes: true,
    headBytes: HEAD_BYTES,
    tailBytes: TAIL_BYTES,
    streamBytes: STREAM_BYTES,
  })
  return {
    exitCode: codeOf(ended),
    stdout: textOf(ended.out),
    stderr: textOf(ended.err),
    truncated: ended.out.dropped + ended.err.dropped > 0,
  }
}

const codeOf = ({ exitCode, killedBy }: Ended): number =>
  exitCode ?? 128 + (constants.signals[killedBy as NodeJS.Signals] ?? 0)

const textOf = ({ head, tail, dropped }: Printed): string =>
  dropped === 0 ? head : `${head}\n… ${dropped} bytes are left out …\n${tail}`

async function describe(runner: ProgramRunner, network: boolean, limitMs: number = TIMEOUT_MS): Promise<string> {
  const { sandbox, network: reaches } = await runner.confinement(network)
  const where = sandbox === 'none' ? 'WITHOUT a sandbox' : `in the sandbox ${sandbox}`
  return `${where}, ${reaches ? 'WITH network' : 'without network'}, at most ${limitMs / 1000} s`
}
