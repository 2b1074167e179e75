import { isTerminal } from '@svc/core'
import {
  CostQuery,
  ForkInput,
  IsoTime,
  ResumeInput,
  RunCosts,
  RunCreate,
  RunFilter,
  RunId,
  RunMessage,
  RunSummary,
  SteerInput,
  UndoInput,
  UndoResult,
} from '@svc/core/schema'
import * as Type from 'typebox'
import { NO_CONTENT, ok } from '../http/answer.ts'
import { assertMatch } from '../http/entity-tag.ts'
import { inTurn } from '../http/in-turn.ts'
import { pageAnswer } from '../http/pages.ts'
import { EVENT_STREAM, negotiate } from '../http/request/accept.ts'
import { answerOnce } from '../http/request/idempotency.ts'
import { assertMay } from '../keys/caller.ts'
import { askerOf } from '../keys/runtime-of.ts'
import { eventsSoFar } from '../runs/events-so-far.ts'
import { planOf } from '../runs/plan-of.ts'
import { Include, RunBody, toBody, Wait } from '../runs/run-body.ts'
import { keyed, START_ERRORS, startRun } from '../runs/start-run.ts'
import { streamRun, waitForRun } from '../runs/wait-for-run.ts'
import { type Route, route } from './route.ts'
import { byId, listQuery, PageOf, query, reach } from './schemas.ts'

const MEDIA = ['application/json', EVENT_STREAM]

const filters = {
  ...RunFilter.properties,
  threadId: Type.Optional(Type.String()),
  agent: Type.Optional(Type.String({ description: 'id of a profile, or of an agent of the run' })),
  createdAfter: Type.Optional(IsoTime('from then on')),
  createdBefore: Type.Optional(IsoTime('before then')),
  q: Type.Optional(
    Type.String({ description: 'part of the task, or of the first 20,000 characters of the answer, any case' }),
  ),
  model: Type.Optional(Type.String({ description: '`provider/model` that the run used, or asked for' })),
  space: Type.Optional(Type.String({ description: 'a folder: of another one than the own only with `all`' })),
  tag: Type.Optional(Type.String()),
  left: Type.Optional(Type.Boolean({ description: '1: only those that have not ended and that no process works on' })),
  ...reach,
}

export const runRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/runs',
    needs: 'submit',
    summary: 'Makes a run and queues it. It is recorded when this answers.',
    query: query({
      wait: Wait(3_600_000),
      deltas: Type.Optional(
        Type.Boolean({
          description: '0: nobody reads the pieces of answers, so models may answer over a cheaper call',
        }),
      ),
    }),
    body: RunCreate,
    isKeyed: true,
    isNewWork: true,
    media: MEDIA,
    answers: { 201: RunBody },
    errors: START_ERRORS,
    async handle(request) {
      const { approval = 'wait', onDisconnect = 'continue' } = request.body
      const isStream = negotiate(request.message, MEDIA) === EVENT_STREAM
      if (isStream) request.context.streams.assertRoom(request.holder)
      const { wait = 0, deltas = true } = request.query
      const started = await startRun(request, { ...request.body, approval }, { deltas: isStream || deltas })
      if (isStream) return streamRun(request, started, 201, onDisconnect)
      const run = wait === 0 ? started.run : await waitForRun(request, started.run, wait, onDisconnect)
      return { status: 201, body: run, headers: started.headers }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/runs',
    summary: 'Lists the runs of this folder, the newest first.',
    query: query({ ...listQuery, ...filters, include: Include }),
    answers: { 200: PageOf(RunBody) },
    errors: ['invalid_cursor'],
    isLarge: true,
    async handle({ context, query: { include, ...asked }, url }) {
      const page = await context.runtime.runs.list(asked)
      return pageAnswer({ ...page, data: page.data.map((run) => toBody(run, include)) }, url)
    },
  }),
  route({
    method: 'GET',
    path: '/v1/runs-summary',
    summary: 'How many runs fit, by status, and their durations, tokens and cost together.',
    query: query(filters),
    answers: { 200: RunSummary },
    handle: async ({ context: { runtime }, query: asked }) => ok(await runtime.runs.summary(asked)),
  }),
  route({
    method: 'GET',
    path: '/v1/costs',
    summary: 'What runs took, by day, week or month, and by model or folder.',
    query: query({ ...CostQuery.properties, ...reach }),
    answers: { 200: RunCosts },
    isLarge: true,
    handle: async ({ context: { runtime }, query: asked }) => ok(await runtime.runs.costs(asked)),
  }),
  route({
    method: 'GET',
    path: '/v1/runs/{id}',
    summary: 'Shows a run; with `wait`, once it has ended or waits for a person.',
    params: byId(RunId),
    query: query({ wait: Wait(60_000), include: Include, ...reach }),
    hasTag: true,
    answers: { 200: RunBody },
    errors: ['run_not_found'],
    async handle({ context: { runtime }, params: { id }, query: { wait = 0, include = [], ...far }, response }) {
      const waited = wait === 0 ? undefined : await runtime.runs.wait(id, wait, far)
      return inTurn(response, async () => {
        const run = waited ?? (await runtime.runs.get(id, far))
        const plan = include.includes('plan')
          ? await planOf(run, eventsSoFar(runtime, run)).catch(() => undefined)
          : undefined
        return ok({ ...toBody(run, include), ...(plan && { plan: plan.plan }) })
      })
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/runs/{id}',
    needs: 'admin',
    summary: 'Removes a run that has ended, and all that belongs to it.',
    params: byId(RunId),
    answers: { 204: null },
    errors: ['run_not_found', 'run_active', 'version_conflict'],
    async handle({ context: { runtime }, params: { id }, message }) {
      await assertMatch(message, async () => toBody(await runtime.runs.get(id)))
      await runtime.runs.delete(id)
      return NO_CONTENT
    },
  }),
  route({
    method: 'POST',
    path: '/v1/runs/{id}/cancel',
    needs: 'submit',
    summary: 'Asks a run to end. One that has ended is answered as it is.',
    params: byId(RunId),
    body: Type.Object({ reason: Type.Optional(Type.String({ maxLength: 1000 })) }, { additionalProperties: false }),
    answers: { 200: RunBody, 202: RunBody },
    errors: ['run_not_found'],
    async handle({ context: { runtime }, params: { id }, body: { reason }, caller }) {
      const run = await runtime.runs.cancel(id, reason, caller.name)
      return { status: isTerminal(run.status) ? 200 : 202, body: toBody(run) }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/runs/{id}/messages',
    needs: 'submit',
    summary: 'Says something to a run at work: its agents read it before their next model calls.',
    params: byId(RunId),
    body: SteerInput,
    isKeyed: true,
    answers: { 202: RunMessage },
    errors: ['run_not_found', 'invalid_transition'],
    handle(request) {
      const { context, params, body, caller } = request
      const { runs } = context.runtime
      return answerOnce(
        request,
        async () => (await runs.steer(params.id, body, caller.name)).id,
        async (id) => {
          const { messages = [], unread = [] } = await runs.get(params.id)
          return { status: 202, body: [...messages, ...unread].find((message) => message.id === id) }
        },
      )
    },
  }),
  route({
    method: 'POST',
    path: '/v1/runs/{id}/resume',
    needs: 'submit',
    summary: 'Hands a waiting run its input, or goes on with an ended one as a new run.',
    params: byId(RunId),
    body: Type.Object(
      {
        input: Type.Optional(Type.Unknown({ description: 'of a waiting run' })),
        results: ResumeInput.properties.results,
        addBudget: Type.Optional(
          Type.Integer({ minimum: 1, description: 'tokens more, of a run that has ended or that nobody works on' }),
        ),
      },
      { additionalProperties: false },
    ),
    isKeyed: true,
    isNewWork: true,
    answers: { 201: RunBody, 202: RunBody },
    errors: ['run_not_found', 'invalid_transition', 'queue_full'],
    handle(request) {
      const { context, params, body, caller } = request
      const { runs } = context.runtime
      for (const field of ['input', 'addBudget'] as const)
        if (body[field] !== undefined)
          assertMay(caller, 'admin', `/${field} decides how a run goes on, which`, [
            { path: `/${field}`, message: 'needs a key that may decide' },
          ])
      return answerOnce(
        request,
        async () => (await runs.resume(params.id, body, askerOf(request))).id,
        async (id) => {
          const run = toBody(await runs.get(id))
          if (id === params.id) return { status: 202, body: run }
          return { status: 201, body: run, headers: { Location: `/v1/runs/${id}` } }
        },
      )
    },
  }),
  route({
    method: 'POST',
    path: '/v1/runs/{id}/fork',
    needs: 'submit',
    summary: 'Makes a new run that takes over what was recorded before its changes reach it, or up to an event.',
    params: byId(RunId),
    body: ForkInput,
    isKeyed: true,
    isNewWork: true,
    answers: { 201: RunBody },
    errors: ['run_not_found', 'queue_full'],
    async handle(request) {
      const { params, body, context } = request
      const { run, headers } = await keyed(request, (key) => context.runtime.runs.fork(params.id, body, key))
      return { status: 201, body: toBody(run), headers }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/runs/{id}/undo',
    summary: 'Puts the files that an ended run changed back as they were before it, all or none.',
    params: byId(RunId),
    body: UndoInput,
    isNewWork: true,
    isLarge: true,
    answers: { 200: UndoResult },
    errors: ['run_not_found', 'run_not_finished', 'invalid_transition', 'files_changed', 'tool_failed'],
    handle: async ({ context: { runtime }, params: { id }, body }) => ok(await runtime.runs.undo(id, body)),
  }),
]
