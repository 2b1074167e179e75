import { isTerminal, type Run, type RunQuery, type Runtime } from '@svc/core'
import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import { fit } from '../render/width.ts'
import type { Started } from './start-own.ts'

const MOST_LOOKED_AT = 100

/** Whether a run has not ended and no living process works on it. */
async function isLeft(runtime: Runtime, id: string): Promise<boolean> {
  const { status, createdAt } = await runtime.runs.get(id)
  if (isTerminal(status)) return false
  const { data } = await runtime.runs.list({ left: true, limit: 100, order: 'asc', createdAfter: createdAt })
  return data.some((run) => run.id === id)
}

/** Says where no living process works on a run, and how to go on with it. */
export async function sayIfLeft({ io, commandOf }: CommandContext, runtime: Runtime, id: string): Promise<void> {
  if (await isLeft(runtime, id))
    io.err(`svc: no process works on ${id}: ${commandOf(`runs resume ${id}`)} goes on with it\n`)
}

/** Whether a run was begun in this project: of one that does not say, nothing else is known. */
export const isHere = ({ space }: Run, { space: here }: Pick<Started, 'space'>): boolean =>
  space === undefined || here === undefined || space === here

/** Says in one line that something unfinished lies in this folder, and how to go on with it. */
export async function sayLeftRuns({ flags, io, server }: CommandContext, started: Started): Promise<void> {
  if (flags.quiet || server !== undefined) return
  const { data, hasMore } = await started.runtime.runs.list({ left: true, limit: MOST_LOOKED_AT })
  const left = data.filter((run) => isHere(run, started))
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
export async function findLast(started: Started): Promise<Run | undefined> {
  const newest = async (query: RunQuery): Promise<Run[]> => {
    const { data } = await started.runtime.runs.list({ ...query, limit: MOST_LOOKED_AT })
    return data.filter((run) => isHere(run, started))
  }
  const left = await newest({ left: true })
  const data = await newest({})
  const goneOn = new Set(data.map(({ parentRunId }) => parentRunId))
  const ended = data.find(({ id, status }) => isTerminal(status) && status !== 'completed' && !goneOn.has(id))
  const [first] = left
  if (first === undefined || ended === undefined) return first ?? ended
  return first.createdAt >= ended.createdAt ? first : ended
}
