import type { CommandContext } from '../context.ts'
import { readAction } from '../read-action.ts'
import { checkActionOptions } from '../read-options.ts'

type Perform = (context: CommandContext, words: string[]) => Promise<number>

const ACTIONS: Readonly<Record<string, () => Promise<{ default: Perform }>>> = {
  list: () => import('./runs/list.ts'),
  get: () => import('./runs/get.ts'),
  trace: () => import('./runs/trace.ts'),
  watch: () => import('./runs/watch.ts'),
  cancel: () => import('./runs/cancel.ts'),
  resume: () => import('./runs/resume.ts'),
  fork: () => import('./runs/fork.ts'),
  replay: () => import('./runs/replay.ts'),
  diff: () => import('./runs/diff.ts'),
  export: () => import('./runs/export.ts'),
  import: () => import('./runs/import.ts'),
  rm: () => import('./runs/rm.ts'),
}

/** Which actions take an option. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  status: ['list'],
  mode: ['list'],
  tag: ['list'],
  q: ['list'],
  after: ['list'],
  limit: ['list'],
  thread: ['list'],
  agent: ['list'],
  events: ['get'],
  last: ['resume'],
  input: ['resume'],
  addBudget: ['resume'],
  at: ['fork'],
  task: ['fork'],
  prompt: ['fork'],
  plan: ['fork'],
  toolResults: ['fork'],
  timeout: ['watch', 'resume', 'fork'],
}

/** `svc runs list|get|trace|watch|cancel|resume|fork|replay|diff|export|import|rm`: runs of this process and of earlier ones. */
export default async function runs(context: CommandContext, [word = 'list', ...words]: string[]): Promise<number> {
  const action = readAction('runs', word, Object.keys(ACTIONS))
  checkActionOptions('runs', action, context.flags.rest, OPTIONS)
  const command = await ACTIONS[action]?.()
  return command === undefined ? 2 : command.default(context, words)
}
