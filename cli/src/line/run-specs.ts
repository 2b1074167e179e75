import type { CommandSpec, OptionSpec } from './command-spec.ts'

/** Of the commands that can work with the runtime of a server as well as with one of their own. */
export const URL_OPTION: OptionSpec = ['--url <address>', 'of a server, whose runtime is used; SVC_URL where left out']
export const TIMEOUT_OPTION: OptionSpec = [
  '--timeout <time>',
  'give up after 90s, 500ms, 2m, 1h; a plain number is seconds',
]
const PAGE_OPTIONS: readonly OptionSpec[] = [
  ['--after <cursor>', 'the next page'],
  ['--limit <number>', '1 to 100; 20 where left out'],
]
const ALL_OPTION: OptionSpec = ['--all', 'of other folders too, which share the data folder or database']
const RUN = 'the id of a run: see svc runs list'
const APPROVAL = 'the id of an approval: see svc approvals list'

/** Runs of now and before, and what they ask. */
export const RUN_COMMANDS: readonly CommandSpec[] = [
  {
    usage: 'runs list',
    about: 'the newest runs of this folder',
    options: [
      ['--status <name>', 'queued, running, waiting, completed, incomplete, failed ...'],
      ['--agent <id>', 'runs with this agent'],
      ['--verdict <name>', 'pass, unverified or fail'],
      ['--model <name>', 'runs that used, or asked for, this provider/model'],
      ['--mode <name>', 'execute, plan or analyze'],
      ['--tag <word>', 'runs with this tag'],
      ['--thread <id>', 'runs of this conversation'],
      ['--search <text>', 'part of the task or of the answer, any case'],
      ['--q <text>', 'the same as --search'],
      ['--folder <path>', 'with --all: only runs of this folder'],
      ALL_OPTION,
      ...PAGE_OPTIONS,
      URL_OPTION,
    ],
    examples: ['svc runs list --status failed', 'svc runs list --verdict fail --search "exit code"'],
    load: () => import('../commands/runs/list.ts'),
  },
  {
    usage: 'runs costs',
    about: 'what the runs of this folder took, by time and by model or folder',
    options: [
      ['--per <time>', 'day, week or month; day where left out'],
      ['--by <what>', 'model or folder; model where left out'],
      ['--since <time>', 'of runs that were asked for in the last 30d, 12h; 30d where left out'],
      ALL_OPTION,
      URL_OPTION,
    ],
    examples: ['svc runs costs --per week --since 90d'],
    load: () => import('../commands/runs/costs.ts'),
  },
  {
    usage: 'runs get <id>',
    about: 'one run and its answer, or its log',
    needs: RUN,
    options: [['--events', 'its log, with the numbers that a fork begins at'], ALL_OPTION, URL_OPTION],
    load: () => import('../commands/runs/get.ts'),
  },
  {
    usage: 'runs trace <id>',
    about: 'what each tap of each stage took, did and changed',
    needs: RUN,
    options: [ALL_OPTION, URL_OPTION],
    load: () => import('../commands/runs/trace.ts'),
  },
  {
    usage: 'runs watch <id>',
    about: 'shows a run of any process until it ends',
    needs: RUN,
    options: [ALL_OPTION, TIMEOUT_OPTION, URL_OPTION],
    load: () => import('../commands/runs/watch.ts'),
  },
  {
    usage: 'runs cancel <id>',
    about: 'ends a run, also one that no process works on',
    needs: RUN,
    options: [URL_OPTION],
    load: () => import('../commands/runs/cancel.ts'),
  },
  {
    usage: 'runs steer <id> <...text>',
    about: 'says something to a run at work: each of its agents reads it before its next step',
    needs: 'the id of a run, as svc runs list says it, and what to say, or - to read that from standard input',
    options: [URL_OPTION],
    examples: ['svc runs steer 9V1XA "In blue, please."'],
    load: () => import('../commands/runs/steer.ts'),
  },
  {
    usage: 'runs resume [id]',
    about: 'goes on with a run that was cut off, waits, or did not complete',
    options: [
      ['--last', 'the newest run that did not complete'],
      ['--input <json>', 'the answer that the run waits for, as JSON or text'],
      ['--add-budget <tokens>', 'so many tokens more; model calls so far count no more against maxSteps'],
      TIMEOUT_OPTION,
      URL_OPTION,
    ],
    examples: ['svc runs resume --last'],
    load: () => import('../commands/runs/resume.ts'),
  },
  {
    usage: 'runs fork <id>',
    about: 'a new run with changes: what they do not reach is taken over from the records',
    needs: RUN,
    options: [
      ['--at <event>', 'the number of the last event to take over; the last one before the changes where left out'],
      ['--task <text>', 'another task'],
      ['--prompt <text>', 'another context'],
      ['--instructions <text>', 'other instructions of the run, for each agent'],
      ['--topology <name>', 'SINGLE, SEQUENTIAL, PARALLEL, CENTRALIZED, DECENTRALIZED, HYBRID or AUTO'],
      ['--budget <tokens>', 'another soft budget'],
      ['--max-cost <usd>', 'another hard limit in US dollars'],
      ['--plan <path>', 'a plan, as a JSON file'],
      ['--tool-results <path>', 'other results by call id, as a JSON file'],
      TIMEOUT_OPTION,
      URL_OPTION,
    ],
    examples: ['svc runs fork 9V1XA --model openai/gpt-5', 'svc runs fork 9V1XA --at 12'],
    load: () => import('../commands/runs/fork.ts'),
  },
  {
    usage: 'runs replay <run>',
    about:
      'checks that a run, or the file of one, gives the same again from its records; svc run --replay answers a new task from them',
    needs:
      'the id of a run of this folder, or the file of a recorded run, as svc runs export and svc run --record write it',
    options: [TIMEOUT_OPTION, URL_OPTION],
    examples: ['svc runs replay run.svcrun'],
    load: () => import('../commands/runs/replay.ts'),
  },
  {
    usage: 'runs diff <id> <other>',
    about: 'what differs between two runs',
    needs: 'the ids of two runs: see svc runs list',
    options: [ALL_OPTION, URL_OPTION],
    load: () => import('../commands/runs/diff.ts'),
  },
  {
    usage: 'runs undo <id>',
    about: 'puts the files that a run changed back as they were',
    needs: RUN,
    options: [
      ['--to <step>', 'as they were when this step ended; before the run where left out'],
      ['--dry-run', 'show the difference, and change nothing'],
      ['--yes', 'do it at a terminal, too, without a question'],
      URL_OPTION,
    ],
    examples: ['svc runs undo 9V1XA --dry-run', 'svc runs undo 9V1XA --to step-2'],
    load: () => import('../commands/runs/undo.ts'),
  },
  {
    usage: 'runs export [id] [file]',
    about: 'the run as a file of JSON Lines; without a file on standard output',
    options: [['--last', 'the newest run'], ALL_OPTION, URL_OPTION],
    examples: ['svc runs export 9V1XA run.jsonl', 'svc runs export --last bug-report.svcrun'],
    load: () => import('../commands/runs/files/export.ts'),
  },
  {
    usage: 'runs import <file>',
    about: 'puts an exported run beside the others; - reads standard input',
    needs: 'a file, or - for standard input',
    options: [URL_OPTION],
    load: () => import('../commands/runs/files/import.ts'),
  },
  {
    usage: 'runs rm <...id>',
    about: 'removes runs that have ended, with all that belongs to them',
    needs: RUN,
    options: [URL_OPTION],
    load: () => import('../commands/runs/rm.ts'),
  },
  {
    usage: 'runs prune',
    about: 'removes the runs of this folder that ended long ago, with all that belongs to them',
    options: [
      ['--older-than <time>', 'since the end of the run: 30d, 12h, 90m'],
      ['--status <name>', 'completed, incomplete, failed or cancelled; all of them where left out'],
      ['--dry-run', 'say how many, and remove none'],
      ['--all', 'those of other folders too, which share the data folder or database'],
      URL_OPTION,
    ],
    examples: ['svc runs prune --older-than 30d --dry-run', 'svc runs prune --older-than 12h --status failed'],
    load: () => import('../commands/runs/prune.ts'),
  },
  {
    usage: 'approvals list',
    about: 'the open questions of runs',
    options: [['--status <name>', 'pending, approved, denied or expired'], ALL_OPTION, ...PAGE_OPTIONS, URL_OPTION],
    load: () => import('../commands/approvals/list.ts'),
  },
  {
    usage: 'approvals approve <id>',
    about: 'lets a run use its tool',
    needs: APPROVAL,
    options: [
      ['--edit <json>', 'call with these arguments'],
      ['--remember <time>', 'run: do not ask again in this run; always: nor in later ones, by a rule in your config'],
      ['--scope <what>', 'what that is about: tool, prefix (of the command) or folder; equal calls where left out'],
      ['--note <text>', 'goes to the agent'],
      URL_OPTION,
    ],
    examples: ['svc approvals approve 9V1XA', 'svc approvals approve 9V1XA --remember run --scope folder'],
    load: () => import('../commands/approvals/approve.ts'),
  },
  {
    usage: 'approvals deny <id>',
    about: 'refuses a run its tool',
    needs: APPROVAL,
    options: [['--note <text>', 'goes to the agent'], URL_OPTION],
    load: () => import('../commands/approvals/deny.ts'),
  },
]
