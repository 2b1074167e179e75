import { nearest } from '@svc/core/nearest'
import { VERSION } from '@svc/core/version'
import { type Command, cac } from 'cac'
import type { CommandContext } from './context.ts'
import type { Flags } from './flags.ts'
import { createIo } from './io.ts'

/** One command: what it is called, what it takes, and where it is. */
interface Spec {
  usage: string
  about: string
  options?: readonly (readonly [flags: string, about: string])[]
  examples?: readonly string[]
  load(): Promise<{ default: (context: CommandContext, args: string[]) => Promise<number> }>
}

const RUN_OPTIONS = [
  ['--topology <name>', 'SINGLE, SEQUENTIAL, PARALLEL, CENTRALIZED, DECENTRALIZED, HYBRID or AUTO'],
  ['--risk <level>', 'low, medium, high or critical'],
  ['--budget <tokens>', 'soft budget of the run; twice as much is the hard limit'],
  ['--max-cost <usd>', 'hard limit in US dollars; needs a model with a price'],
  ['--timeout <time>', 'give up after 90s, 500ms, 2m ...'],
  ['--agent <id>', 'use this agent profile; may be given again'],
  ['--file <path>', 'hand this file to the agents; may be given again'],
  ['--yes', 'let tools write files without asking'],
] as const

const SPECS: Readonly<Record<string, Spec>> = {
  run: {
    usage: 'run <task>',
    about: 'Carry a task out (- reads it from standard input)',
    options: [
      ...RUN_OPTIONS,
      ['--schema <path>', 'answer as JSON that fits this JSON Schema'],
      ['--dry-run', 'stop after the plan'],
      ['--trace-hooks', 'show each tap of each stage, its time and what it changed'],
    ],
    examples: ['svc run "Explain the architecture of this repository"', 'git diff | svc run -'],
    load: () => import('./commands/run.ts'),
  },
  plan: {
    usage: 'plan <task>',
    about: 'Show how a task would be carried out',
    options: RUN_OPTIONS,
    load: () => import('./commands/plan.ts'),
  },
  analyze: {
    usage: 'analyze <task>',
    about: 'Show how hard a task is and which topology suits it',
    options: [['--risk <level>', 'low, medium, high or critical']],
    load: () => import('./commands/analyze.ts'),
  },
  agents: {
    usage: 'agents [...args]',
    about: 'list | get <id> | create <name> | rm <id>: agent profiles in .svc/agents',
    options: [
      ['--role <role>', 'of create: what it is for'],
      ['--instructions <text>', 'of create: go into its system message'],
      ['--description <text>', 'of create: shown to people'],
      ['--tool <id>', 'of create: a tool it may call; may be given again'],
      ['--capability <word>', 'of create: what it is good at; may be given again'],
      ['--id <id>', 'of create: default made from the name'],
    ],
    load: () => import('./commands/agents.ts'),
  },
  models: { usage: 'models', about: 'List providers and their models', load: () => import('./commands/models.ts') },
  tools: { usage: 'tools', about: 'List tools with their risk', load: () => import('./commands/tools.ts') },
  plugins: {
    usage: 'plugins',
    about: 'Show which plugin answers which stage, and why',
    load: () => import('./commands/plugins.ts'),
  },
  config: { usage: 'config [action]', about: 'show | validate | path', load: () => import('./commands/config.ts') },
  trust: {
    usage: 'trust',
    about: "Allow this folder's own code and settings",
    options: [
      ['--list', 'show what would be covered'],
      ['--remove', 'take it back'],
    ],
    load: () => import('./commands/trust.ts'),
  },
  doctor: {
    usage: 'doctor',
    about: 'Check that svc can work here',
    options: [['--online', 'also ask the providers']],
    load: () => import('./commands/doctor.ts'),
  },
}

const GLOBAL_OPTIONS = [
  ['--json', 'print the result as JSON'],
  ['--output <form>', 'text, json or stream-json'],
  ['-q, --quiet', 'no progress'],
  ['-v, --verbose', 'more on standard error'],
  ['--no-color', 'no colours'],
  ['--no-input', 'never ask'],
  ['--config <path>', 'use this config file as well'],
  ['--cwd <path>', 'work in this folder'],
  ['--trust', 'trust the folder for this once'],
  ['--provider <id>', 'model provider'],
  ['--model <name>', 'provider/model'],
  ['--log-level <level>', 'debug, info, warn or error'],
] as const

/** Parses the words, runs one command, and sets the exit code. */
export async function runCli(argv: readonly string[]): Promise<void> {
  const io = createIo({ noInput: argv.includes('--no-input') })
  const wantsJson = argv.includes('--json') || argv.includes('json') || argv.includes('stream-json')
  try {
    process.exitCode = await dispatch(argv, io)
  } catch (thrown) {
    const { reportError } = await import('./report-error.ts')
    process.exitCode = reportError(
      thrown,
      io,
      wantsJson ? 'json' : 'text',
      argv.includes('--verbose') || argv.includes('-v'),
    )
  }
}

async function dispatch(argv: readonly string[], io: ReturnType<typeof createIo>): Promise<number> {
  let work: Promise<number> | undefined
  const cli = cac('svc')
  const start = (spec: Spec) => (args: string[], options: Record<string, unknown>) => {
    work = perform(spec, args, options, io)
  }
  for (const spec of Object.values(SPECS)) {
    const command = withOptions(cli.command(spec.usage, spec.about), spec)
    command.action((...given: unknown[]) => {
      const options = given.pop() as Record<string, unknown>
      start(spec)(
        given
          .flat()
          .filter((arg) => arg !== undefined)
          .map(String),
        options,
      )
    })
  }
  const bare = withOptions(cli.command('[...words]', 'Carry a task out'), SPECS.run as Spec)
  bare.action((words: unknown[], options: Record<string, unknown>) => {
    work = performBare(words.map(String), options, io, () => cli.outputHelp())
  })
  cli.help()
  cli.version(VERSION, '-V, --version')
  cli.parse(['node', 'svc', ...argv], { run: false })
  if (cli.options.help === true || cli.options.version === true) return 0
  cli.runMatchedCommand()
  return (await work) ?? 0
}

function withOptions(command: Command, spec: Spec): Command {
  for (const [flags, about] of [...(spec.options ?? []), ...GLOBAL_OPTIONS]) command.option(flags, about)
  for (const example of spec.examples ?? []) command.example(example)
  return command
}

async function perform(
  spec: Spec,
  args: string[],
  options: Record<string, unknown>,
  io: ReturnType<typeof createIo>,
): Promise<number> {
  const { readFlags } = await import('./flags.ts')
  const flags: Flags = readFlags(options)
  const [{ createContext }, command] = await Promise.all([import('./context.ts'), spec.load()])
  const context = createContext(flags, io)
  return command.default(context, args)
}

/** `svc "a task in words"`. One bare word is more likely a mistyped command than a task. */
async function performBare(
  words: string[],
  options: Record<string, unknown>,
  io: ReturnType<typeof createIo>,
  help: () => void,
): Promise<number> {
  const [first] = words
  if (first === undefined) {
    help()
    return 0
  }
  const { ValidationError } = await import('@svc/core')
  if (words.length > 1 || !/\s/.test(first.trim())) {
    const guess = nearest(first, Object.keys(SPECS))
    const hint = guess === undefined ? `use svc run "${words.join(' ')}" for a task` : `did you mean svc ${guess}?`
    throw new ValidationError('validation_failed', `there is no command "${first}": ${hint}`)
  }
  return perform(SPECS.run as Spec, [first], options, io)
}
