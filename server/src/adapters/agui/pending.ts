import { createHash } from 'node:crypto'
import type { Run } from '@svc/core'
import type { RouteRequest } from '../../routes/route.ts'
import { eventsSoFar } from '../../runs/events-so-far.ts'
import { needsPerson } from '../shared/rest.ts'
import { interruptsOf } from './ends.ts'
import type { Interrupt } from './wire.ts'

/** What runs of a thread of a page are found by. */
export const tagOf = (threadId: string): string =>
  `agui-${createHash('sha256').update(threadId).digest('hex').slice(0, 32)}`

export interface Pending {
  run: Run
  interrupts: Interrupt[]
}

/** What a thread waits for that a person answers. */
export async function findPending(request: RouteRequest, threadId: string): Promise<Pending | undefined> {
  const { context, owner } = request
  const { runtime } = context
  // Its name is of the page's choosing: others, whose runs the caller may see, may have one of the same name.
  const { data } = await runtime.runs.list({
    tag: tagOf(threadId),
    status: 'waiting',
    limit: 100,
    ...(owner !== '' && { owner }),
  })
  const run = data.find(needsPerson)
  if (run === undefined) return undefined
  return { run, interrupts: interruptsOf(run, { seq: await askedAt(request, run) }) }
}

/** Number of the event in which a run asked last. */
async function askedAt({ context }: RouteRequest, run: Run): Promise<number> {
  let seq = 0
  if (run.waiting?.input !== undefined)
    for await (const event of eventsSoFar(context.runtime, run)) if (event.type === 'run.waiting') seq = event.seq ?? 0
  return seq
}
