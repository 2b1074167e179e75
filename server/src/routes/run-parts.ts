import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { ConflictError, isTerminal, traceOf } from '@svc/core'
import { Change, EventSeq, PlanResult, RunId, RunTrace } from '@svc/core/schema'
import { Semaphore } from '@svc/core/support'
import * as Type from 'typebox'
import { ok } from '../http/answer.ts'
import { inTurn, MOST_AT_ONCE } from '../http/in-turn.ts'
import { STALL_MS } from '../http/open-responses.ts'
import { EVENT_STREAM, negotiate } from '../http/request/accept.ts'
import { eventsSoFar } from '../runs/events-so-far.ts'
import { planOf } from '../runs/plan-of.ts'
import { cursorOf, EventBody, EventPage, eventOf, pageOfEvents, streamOfEvents } from '../runs/read-events.ts'
import { resultOf } from '../runs/run-body.ts'
import { RunUsage, usageOf } from '../runs/usage.ts'
import { type Route, route } from './route.ts'
import { AnyResult, byId, query, reach } from './schemas.ts'

const EVENT_MEDIA = ['application/json', EVENT_STREAM]
const Divergence = Type.Object({ seq: Type.Integer(), expected: Type.Unknown(), actual: Type.Unknown() })
const RunDiff = Type.Object({
  plan: Type.Array(Change),
  agents: Type.Array(Change),
  toolCalls: Type.Array(Change),
  usage: Type.Array(Change),
  output: Type.Array(Change),
  firstDivergence: Type.Optional(Type.Object({ seq: Type.Array(Type.Integer()) })),
})

export const runPartRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/runs/{id}/events',
    summary: 'Events of a run: as a stream that goes on until it ends, or a page of those there are.',
    params: byId(RunId),
    query: query({
      after: Type.Optional(Type.Integer({ minimum: 0, description: 'number of the last event that is known' })),
      types: Type.Optional(
        Type.Array(Type.String({ pattern: '^[a-z.]+\\*?$' }), { description: '`tool.*,run.completed`' }),
      ),
      agent: Type.Optional(Type.String()),
      deltas: Type.Optional(Type.Boolean({ description: '0: without the pieces of answers' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'of a page; default 100' })),
      ...reach,
    }),
    media: EVENT_MEDIA,
    answers: { 200: EventPage, 204: null },
    errors: ['run_not_found', 'invalid_cursor', 'event_cursor_gone', 'too_many_streams'],
    isLarge: true,
    async handle(request) {
      const isStream = negotiate(request.message, EVENT_MEDIA) === EVENT_STREAM
      const { all = false, ...asked } = request.query
      const run = await request.context.runtime.runs.get(request.params.id, { all })
      const filter = { ...asked, after: cursorOf(run, request) }
      return isStream ? streamOfEvents(request, run, filter) : pageOfEvents(request, run, filter)
    },
  }),
  route({
    method: 'GET',
    path: '/v1/runs/{id}/events/{seq}',
    summary: 'One event, whole: what the `ref` of an event leads to whose texts were cut.',
    params: Type.Object({ id: RunId, seq: EventSeq }, { additionalProperties: false }),
    query: query(reach),
    answers: { 200: EventBody },
    errors: ['run_not_found', 'event_cursor_gone'],
    isLarge: true,
    async handle({ context, params: { id, seq }, query: far }) {
      return ok(await eventOf(context, await context.runtime.runs.get(id, far), Number(seq)))
    },
  }),
  route({
    method: 'GET',
    path: '/v1/runs/{id}/result',
    summary: 'What a run returned.',
    params: byId(RunId),
    query: query(reach),
    answers: { 200: AnyResult },
    errors: ['run_not_found', 'run_not_finished'],
    isLarge: true,
    async handle({ context: { runtime }, params: { id }, query: far }) {
      const run = await runtime.runs.get(id, far)
      if (isTerminal(run.status)) return ok(resultOf(run))
      throw new ConflictError('run_not_finished', `run ${id} is ${run.status}: wait for it`)
    },
  }),
  route({
    method: 'GET',
    path: '/v1/runs/{id}/plan',
    summary: 'The plan of a run, as soon as there is one.',
    params: byId(RunId),
    query: query(reach),
    answers: { 200: PlanResult },
    errors: ['run_not_found', 'run_not_finished'],
    isLarge: true,
    async handle({ context: { runtime }, params: { id }, query: far }) {
      const run = await runtime.runs.get(id, far)
      return ok(await planOf(run, eventsSoFar(runtime, run)))
    },
  }),
  route({
    method: 'GET',
    path: '/v1/runs/{id}/usage',
    summary: 'Tokens and cost of a run: over time, by agent and by step.',
    params: byId(RunId),
    query: query(reach),
    answers: { 200: RunUsage },
    errors: ['run_not_found'],
    isLarge: true,
    async handle({ context: { runtime }, params: { id }, query: far }) {
      return ok(await usageOf(id, eventsSoFar(runtime, await runtime.runs.get(id, far))))
    },
  }),
  route({
    method: 'GET',
    path: '/v1/runs/{id}/trace',
    summary: 'The spans of a run, named as OpenTelemetry names them, without content.',
    params: byId(RunId),
    query: query(reach),
    answers: { 200: RunTrace },
    errors: ['run_not_found'],
    isLarge: true,
    async handle({ context: { runtime }, params: { id }, query: far }) {
      return ok(await traceOf(id, eventsSoFar(runtime, await runtime.runs.get(id, far))))
    },
  }),
  route({
    method: 'GET',
    path: '/v1/runs/{id}/log',
    summary: 'The whole run as JSON Lines, as `svc runs export` writes it.',
    params: byId(RunId),
    query: query(reach),
    media: ['application/x-ndjson'],
    answers: { 200: Type.String() },
    errors: ['run_not_found'],
    async handle({ context: { runtime }, params: { id }, query: far }) {
      await runtime.runs.get(id, far)
      return {
        status: 200,
        write: (response) => inTurn(response, () => writeLog(runtime.runs.export(id, far), response), logs),
      }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/runs/{id}/replay',
    needs: 'submit',
    summary: 'Runs an ended run again from its records alone, and says where it differs.',
    params: byId(RunId),
    isNewWork: true,
    answers: { 200: Type.Object({ identical: Type.Boolean(), firstDivergence: Type.Optional(Divergence) }) },
    errors: ['run_not_found', 'run_not_finished', 'plugin_load_failed'],
    isLarge: true,
    handle: async ({ context: { runtime }, params: { id } }) => ok(await runtime.runs.replay(id)),
  }),
  route({
    method: 'GET',
    path: '/v1/runs/{a}/diff/{b}',
    summary: 'What differs between two runs.',
    params: Type.Object({ a: RunId, b: RunId }, { additionalProperties: false }),
    query: query(reach),
    answers: { 200: RunDiff },
    errors: ['run_not_found'],
    isLarge: true,
    handle: async ({ context: { runtime }, params: { a, b }, query: far }) => ok(await runtime.runs.diff(a, b, far)),
  }),
]

/** Apart, since these last as long as their readers take. */
const logs = new Semaphore(MOST_AT_ONCE)

/** Sends a log as fast as it is read; a reader that takes nothing is cut. */
async function writeLog(lines: AsyncIterable<Uint8Array>, response: ServerResponse): Promise<void> {
  response.setHeader('Content-Type', 'application/x-ndjson; charset=utf-8')
  response.setTimeout(STALL_MS)
  await pipeline(lines, response)
}
