import { isTerminal, type Run, type Runtime } from '@svc/core'
import type { CommandContext } from './context.ts'
import { toSafe } from './io.ts'
import { fit } from './render/width.ts'

/** Whether a run has not ended and no living process works on it. */
export async function isLeft(runtime: Runtime, id: string): Promise<boolean> {
  const { status, createdAt } = await runtime.runs.get(id)
  if (isTerminal(status)) return false
  const { data } = await runtime.runs.list({ left: true, limit: 100, order: 'asc', createdAfter: createdAt })
  return data.some((run) => run.id === id)
}

/** Says in one line that something unfinished lies in this folder, and how to go on with it. */
export async function sayLeftRuns({ flags, io }: CommandContext, runtime: Runtime): Promise<void> {
  if (flags.quiet) return
  const { data, hasMore } = await runtime.runs.list({ left: true, limit: 9 })
  const [newest] = data
  if (newest === undefined) return
  const { id, status, task } = newest
  const count = data.length === 1 ? '' : `, the newest of ${data.length}${hasMore ? ' or more' : ''} runs`
  io.err(
    toSafe(`svc: unfinished here: "${fit(task, 40)}" (${status}${count}): svc runs resume ${id} goes on with it\n`),
  )
}

/**
 * The newest run that was not brought to its end, by a crash, a signal or a limit; none that another run has gone on
 * from already.
 */
export async function findLast(runtime: Runtime): Promise<Run | undefined> {
  const { data: left } = await runtime.runs.list({ left: true, limit: 1 })
  const { data } = await runtime.runs.list({ limit: 100 })
  const goneOn = new Set(data.map(({ parentRunId }) => parentRunId))
  const ended = data.find(({ id, status }) => isTerminal(status) && status !== 'completed' && !goneOn.has(id))
  const [first] = left
  if (first === undefined || ended === undefined) return first ?? ended
  return first.createdAt >= ended.createdAt ? first : ended
}
