import type { CommandContext } from './context.ts'

/** An option as help shows it: `-q, --quiet` or `--model <name>`; `many` may be given again. */
export type OptionSpec = readonly [flags: string, about: string, many?: 'many']

/** One command: its name, its options, and where its code is. */
export interface CommandSpec {
  /** As cac reads it: the name, then what words it takes. */
  usage: string
  about: string
  /** What its first word may be, with the words after it, and what it does then. */
  actions?: readonly (readonly [words: string, about: string])[]
  options?: readonly OptionSpec[]
  examples?: readonly string[]
  load(): Promise<{ default: (context: CommandContext, words: string[]) => Promise<number> }>
}

/** Of the commands that can work with the runtime of a server as well as with one of their own. */
export const URL_OPTION: OptionSpec = ['--url <address>', 'of a server, whose runtime is used; SVC_URL where left out']

const RUN_OPTIONS: readonly OptionSpec[] = [
  ['--topology <name>', 'SINGLE, SEQUENTIAL, PARALLEL, CENTRALIZED, DECENTRALIZED, HYBRID or AUTO'],
  ['--risk <level>', 'low, medium, high or critical'],
  ['--budget <tokens>', 'soft budget of the run; twice as much is the hard limit'],
  ['--max-cost <usd>', 'hard limit in US dollars; needs a model with a price'],
  ['--timeout <time>', 'give up after 90s, 500ms, 2m ...'],
  ['--priority <number>', 'of runs that wait, the highest starts first; -100 to 100, 0 where left out'],
  ['--agent <id>', 'use this agent profile; may be given again', 'many'],
  ['--file <path>', 'hand this file to the agents; may be given again', 'many'],
  ['--yes', 'let tools write files without asking'],
  ['--thread <id>', 'go on with this conversation'],
  URL_OPTION,
]

const SERVE: CommandSpec = {
  usage: 'serve',
  about: 'serve this folder over HTTP, until stopped; SERVICE_API_KEY sets the key',
  options: [
    ['--host <address>', 'address to listen on; 127.0.0.1 where left out'],
    ['--port <number>', '4000 where left out; 0 for any free one'],
    ['--insecure-no-auth', 'listen on any address without a key'],
  ],
  examples: ['svc serve', 'SERVICE_API_KEY=$(openssl rand -hex 32) svc serve --host 0.0.0.0'],
  load: () => import('./commands/serve.ts'),
}

export const COMMANDS: Readonly<Record<string, CommandSpec>> = {
  run: {
    usage: 'run [...task]',
    about: 'run a task; - reads it from standard input',
    options: [
      ...RUN_OPTIONS,
      ['--schema <path>', 'answer as JSON that fits this JSON Schema'],
      ['--dry-run', 'stop after the plan'],
      ['--trace-hooks', 'show each tap of each stage, its time and what it changed'],
    ],
    examples: [
      'svc run "Explain the architecture of this repository"',
      'git diff | svc run - --file CONTRIBUTING.md',
      'svc run --json "List the dependencies" | jq -r .summary',
      'SERVICE_API_KEY=<key> svc run --url https://svc.example "List the packages"',
    ],
    load: () => import('./commands/run.ts'),
  },
  plan: {
    usage: 'plan [...task]',
    about: 'show the plan of a task without running it',
    options: RUN_OPTIONS,
    examples: ['svc plan --topology PARALLEL "How do the packages depend on each other?"'],
    load: () => import('./commands/plan.ts'),
  },
  analyze: {
    usage: 'analyze [...task]',
    about: 'show how hard a task is and which topology suits it',
    options: [['--risk <level>', 'low, medium, high or critical'], URL_OPTION],
    load: () => import('./commands/analyze.ts'),
  },
  chat: {
    usage: 'chat',
    about: 'a conversation, turn by turn; from a pipe, a line is a turn',
    options: RUN_OPTIONS,
    examples: ['svc chat', 'svc chat --thread thr_01JZ4K0M6T8N2QW3E5R7Y9V1XA'],
    load: () => import('./commands/chat.ts'),
  },
  runs: {
    usage: 'runs [...words]',
    about: 'list | get | watch | cancel | resume | fork | replay | diff | export | import | rm: runs of now and before',
    actions: [
      ['list', 'the newest runs'],
      ['get <id>', 'one run and its answer, or its log'],
      ['watch <id>', 'shows a run of any process until it ends'],
      ['cancel <id>', 'ends a run, also one that no process works on'],
      ['resume <id>', 'goes on with a run that was cut off, waits, or did not complete'],
      ['fork <id>', 'a new run from the records up to an event, with changes'],
      ['replay <id>', 'goes over a run from its records alone'],
      ['diff <id> <id>', 'what differs between two runs'],
      ['export <id> [file]', 'the run as a file of JSON Lines'],
      ['import <file>', 'puts an exported run beside the others; - reads standard input'],
      ['rm <id...>', 'removes runs that have ended, with all that belongs to them'],
      ['', 'An id may be the last (or first) four or more characters of one.'],
    ],
    options: [
      ['--last', 'of resume: the newest run that did not complete'],
      ['--input <json>', 'of resume: the answer that the run waits for, as JSON or text'],
      ['--add-budget <tokens>', 'of resume: so many tokens more'],
      ['--events', 'of get: its log, with the numbers that a fork begins at'],
      ['--at <event>', 'of fork: the number of the last event to take over'],
      ['--task <text>', 'of fork: another task'],
      ['--prompt <text>', 'of fork: another context'],
      ['--plan <path>', 'of fork: a plan, as a JSON file'],
      ['--tool-results <path>', 'of fork: other results by call id, as a JSON file'],
      ['--timeout <time>', 'of watch, resume and fork: give up after 90s, 500ms, 2m ...'],
      ['--status <name>', 'of list: queued, running, waiting, completed, incomplete, failed ...'],
      ['--agent <id>', 'of list: runs with this agent', 'many'],
      ['--mode <name>', 'of list: execute, plan or analyze'],
      ['--tag <word>', 'of list: runs with this tag', 'many'],
      ['--thread <id>', 'of list: runs of this conversation'],
      ['--q <text>', 'of list: part of the task'],
      ['--after <cursor>', 'of list: the next page'],
      ['--limit <number>', 'of list: 1 to 100; 20 where left out'],
      URL_OPTION,
    ],
    examples: [
      'svc runs resume --last',
      'svc runs list --status failed',
      'svc runs fork 9V1XA --at 12 --model openai/gpt-5',
      'svc runs export 9V1XA run.jsonl',
    ],
    load: () => import('./commands/runs.ts'),
  },
  approvals: {
    usage: 'approvals [...words]',
    about: 'list | approve <id> | deny <id>: what runs ask before they use a tool',
    options: [
      ['--edit <json>', 'of approve: call with these arguments'],
      ['--remember <what>', 'of approve: run, for every equal call of the run'],
      ['--note <text>', 'of approve and deny: goes to the agent'],
      ['--status <name>', 'of list: pending, approved, denied or expired'],
      ['--after <cursor>', 'of list: the next page'],
      ['--limit <number>', 'of list: 1 to 100; 20 where left out'],
      URL_OPTION,
    ],
    examples: ['svc approvals list', 'svc approvals approve 9V1XA'],
    load: () => import('./commands/approvals.ts'),
  },
  serve: SERVE,
  server: { ...SERVE, usage: 'server', about: 'the same as serve' },
  worker: {
    usage: 'worker',
    about: 'work on runs of this folder (or of SVC_DATABASE_URL) that are queued or were left behind, until stopped',
    options: [['--concurrency <number>', 'runs at once; 8 where left out']],
    examples: ['svc worker', 'SVC_DATABASE_URL=postgres://svc@db.example/runs svc worker'],
    load: () => import('./commands/worker.ts'),
  },
  agents: {
    usage: 'agents [...words]',
    about: 'list | get <id> | create <name> | rm <id>: agent profiles in .svc/agents',
    options: [
      ['--role <role>', 'of create: what it is for'],
      ['--instructions <text>', 'of create: go into its system message'],
      ['--description <text>', 'of create: shown to people'],
      ['--tool <id>', 'of create: a tool it may call; may be given again', 'many'],
      ['--capability <word>', 'of create: what it is good at; may be given again', 'many'],
      ['--id <id>', 'of create: made from the name where left out'],
      URL_OPTION,
    ],
    examples: [
      'svc agents create Reviewer --instructions "Read closely. Name file and line."',
      'svc run --agent reviewer "Review src/"',
    ],
    load: () => import('./commands/agents.ts'),
  },
  memory: {
    usage: 'memory [...words]',
    about: 'list | add <text> | search <query> | rm <id>: what is remembered from run to run',
    options: [
      ['--layer <name>', 'working, episodic or long-term'],
      ['--kind <name>', 'fact, event, procedure, summary, decision, lesson or preference'],
      ['--tag <word>', 'of add: for filtering; else: only records with it; may be given again', 'many'],
      ['--limit <number>', 'most records to show; 20, of search 10, where left out'],
      URL_OPTION,
    ],
    examples: [
      'svc memory add --kind decision "We release on Thursdays"',
      'git log -1 --format=%B | svc memory add -',
      'svc memory search "When do we release?"',
    ],
    load: () => import('./commands/memory.ts'),
  },
  models: {
    usage: 'models',
    about: 'list providers and their models',
    options: [['--check', 'ask each model, or the one of --model, one question'], URL_OPTION],
    load: () => import('./commands/models.ts'),
  },
  tools: {
    usage: 'tools',
    about: 'list tools with their risk',
    options: [URL_OPTION],
    load: () => import('./commands/tools.ts'),
  },
  plugins: {
    usage: 'plugins',
    about: 'show which plugin answers which stage, and why',
    options: [URL_OPTION],
    load: () => import('./commands/plugins.ts'),
  },
  config: {
    usage: 'config [action]',
    about: 'show | validate | path: what is configured, and where it comes from',
    load: () => import('./commands/config.ts'),
  },
  trust: {
    usage: 'trust',
    about: "allow this folder's own code and settings, as they are now",
    options: [
      ['--list', 'show what would be covered'],
      ['--remove', 'take it back'],
    ],
    load: () => import('./commands/trust.ts'),
  },
  doctor: {
    usage: 'doctor',
    about: 'check that svc can work here',
    options: [['--online', 'also ask each provider one question, and say how it wants to be asked']],
    load: () => import('./commands/doctor.ts'),
  },
}

/** Options that every command takes. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
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
  ['-h, --help', 'show help'],
  ['-V, --version', 'show the version'],
]
