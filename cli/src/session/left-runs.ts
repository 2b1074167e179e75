import { isTerminal, type Reach, type Run, type RunQuery, type Runtime } from '@svc/core'
import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import { fit } from '../render/width.ts'
import type { Started } from './start-own.ts'

const MOST_LOOKED_AT = 100

/** Whether a run has not ended and no living process works on it. */
async function isLeft(runtime: Runtime, id: string, reach?: Reach): Promise<boolean> {
  const { status, createdAt } = await runtime.runs.get(id, reach)
  if (isTerminal(status)) return false
  const { data } = await runtime.runs.list({ ...reach, left: true, limit: 100, order: 'asc', createdAfter: createdAt })
  return data.some((run) => run.id === id)
}

/** Says where no living process works on a run, and how to go on with it. */
export async function sayIfLeft(
  { io, commandOf }: CommandContext,
  runtime: Runtime,
  id: string,
  reach?: Reach,
): Promise<void> {
  if (await isLeft(runtime, id, reach))
    io.err(`svc: no process works on ${id}: ${commandOf(`runs resume ${id}`)} goes on with it\n`)
}

/** Says in one line that something unfinished lies in this folder, and how to go on with it. */
export async function sayLeftRuns({ flags, io, server }: CommandContext, { runtime }: Started): Promise<void> {
  if (flags.quiet || server !== undefined) return
  const { data: left, hasMore } = await runtime.runs.list({ left: true, limit: MOST_LOOKED_AT })
  const [newest] = left
  if (newest === undefined) return
  const { id, status, task } = newest
  const count = left.length === 1 ? '' : `, the newest of ${left.length}${hasMore ? ' or more' : ''} runs`
  io.err(
    toSafe(`svc: unfinished here: "${fit(task, 40)}" (${status}${count}): svc runs resume ${id} goes on with it\n`),
  )
}

/**
 * The newest run of this project that was not brought to its end, by a crash, a signal or a limit; none that another run has gone on
 * from already.
 */
export async function findLast({ runtime }: Started): Promise<Run | undefined> {
  const newest = async (query: RunQuery): Promise<Run[]> =>
    (await runtime.runs.list({ ...query, limit: MOST_LOOKED_AT })).data
  const left = await newest({ left: true })
  const data = await newest({})
  const goneOn = new Set(data.map(({ parentRunId }) => parentRunId))
  const ended = data.find(({ id, status }) => isTerminal(status) && status !== 'completed' && !goneOn.has(id))
  const [first] = left
  if (first === undefined || ended === undefined) return first ?? ended
  return first.createdAt >= ended.createdAt ? first : ended
}
