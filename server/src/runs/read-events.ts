import { isTerminal, NotFoundError, type Run, type RunEvent, ValidationError } from '@svc/core'
import { ByName, IsoTime } from '@svc/core/schema'
import * as Type from 'typebox'
import { createFilter, type EventFilter } from '../events/filter.ts'
import { type SentEvent, toJson } from '../events/to-json.ts'
import { type Answer, NO_CONTENT, ok } from '../http/answer.ts'
import type { RouteRequest } from '../routes/route.ts'
import { eventsSoFar } from './events-so-far.ts'

/** The envelope of an event; `type` says what `data` is. */
export const EventBody = Type.Object({
  v: Type.Literal(1),
  seq: Type.Optional(
    Type.Integer({ minimum: 1, description: 'gap-free from 1; absent on what is sent once and not kept' }),
  ),
  type: Type.String(),
  time: IsoTime('when it happened'),
  runId: Type.String(),
  threadId: Type.Optional(Type.String()),
  stage: Type.Optional(Type.String()),
  stepId: Type.Optional(Type.String()),
  agentId: Type.Optional(Type.String()),
  parentAgentId: Type.Optional(Type.String()),
  callId: Type.Optional(Type.String()),
  approvalId: Type.Optional(Type.String()),
  span: Type.Optional(Type.String()),
  data: ByName(Type.Unknown()),
  ref: Type.Optional(
    Type.String({ description: 'path of the whole event, of one that was cut; absent on what is not kept' }),
  ),
  cut: Type.Optional(
    Type.Array(Type.Object({ path: Type.String({ description: 'a JSON pointer' }), bytes: Type.Integer() }), {
      description: 'texts of which only the beginning is here, with the bytes of the whole',
    }),
  ),
})

export const EventPage = Type.Object({
  data: Type.Array(EventBody),
  hasMore: Type.Boolean({ description: 'whether there are later ones now' }),
  nextCursor: Type.Optional(Type.String({ description: 'hand it back as `after`' })),
})

type Filter = EventFilter & { after: number; limit?: number | undefined }

/**
 * The number that a reader goes on from: `Last-Event-ID`, else `after`.
 *
 * @throws ValidationError `invalid_cursor`; NotFoundError `event_cursor_gone` for one that the run has not reached
 */
export function cursorOf(run: Run, { message, query }: RouteRequest<unknown, { after?: number }>): number {
  const header = message.headers['last-event-id']
  if (header !== undefined && header !== '' && !/^\d{1,15}$/.test(String(header))) {
    throw new ValidationError('invalid_cursor', 'Last-Event-ID: is no number of an event')
  }
  const after = header === undefined || header === '' ? (query.after ?? 0) : Number(header)
  assertReached(run, after)
  return after
}

/** @throws NotFoundError `event_cursor_gone` for a number that a run at work has not reached */
export function assertReached(run: Run, after: number): Run {
  if (after > run.lastSeq && !isTerminal(run.status)) throw noSuchEvent(run, after)
  return run
}

/** A stream from the cursor on; nothing where the run has ended and the reader has everything. */
export function streamOfEvents({ context, response, holder }: RouteRequest, run: Run, filter: Filter): Answer {
  if (isTerminal(run.status) && filter.after >= run.lastSeq) return NO_CONTENT
  context.streams.assertRoom(holder)
  return { status: 200, write: () => context.streams.follow(run, response, holder, filter) }
}

/**
 * One event, whole.
 *
 * @throws NotFoundError `event_cursor_gone` where the run has none of this number
 */
export async function eventOf({ runtime }: RouteRequest['context'], run: Run, seq: number): Promise<RunEvent> {
  for await (const event of eventsSoFar(runtime, run, { after: seq - 1 })) return event
  throw noSuchEvent(run, seq)
}

const noSuchEvent = ({ id, lastSeq }: Run, seq: number): NotFoundError =>
  new NotFoundError('event_cursor_gone', `run ${id} has ${lastSeq} events, none with the number ${seq}`)

/** The events that there are after the cursor, at most `limit`. A `stream.warning` stands in place of what cannot be read. */
export async function pageOfEvents({ context, url }: RouteRequest, run: Run, filter: Filter): Promise<Answer> {
  const { after, limit = 100 } = filter
  const accepts = createFilter({ ...filter, deltas: false })
  const { payloadBytes } = context.limits
  const data: RunEvent[] = []
  let last = after
  let isCut = false
  for await (const event of eventsSoFar(context.runtime, run, { after, upToDamage: true })) {
    last = event.seq ?? last
    isCut = event.type === 'stream.warning'
    if (accepts(event)) data.push(JSON.parse(toJson(event, payloadBytes)) as SentEvent)
    if (data.length === limit) break
  }
  const hasMore = last < run.lastSeq && !isCut
  const next = new URL(url, 'http://local')
  next.searchParams.set('after', String(last))
  const link = { Link: `<${next.pathname}${next.search}>; rel="next"` }
  return ok({ data, hasMore, nextCursor: String(last) }, hasMore ? link : undefined)
}
