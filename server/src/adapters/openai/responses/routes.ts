import { isTerminal } from '@svc/core'
import * as Type from 'typebox'
import { type Answer, ok } from '../../../http/answer.ts'
import { EVENT_STREAM } from '../../../http/request/accept.ts'
import { type Route, type RouteRequest, route } from '../../../routes/route.ts'
import { START_ERRORS } from '../../../runs/start-run.ts'
import { answerInPieces, answerWhole } from '../../shared/answer-run.ts'
import { type Begun, beginOnce, type FieldNames, idOf, inWordsOfClient } from '../../shared/begin-once.ts'
import { refuse } from '../../shared/fields.ts'
import { openAiProblem } from '../problem.ts'
import { beginResponse } from './begin-response.ts'
import { type ResponseAsked, ResponseBody, readResponse } from './body.ts'
import { findResponse } from './find-response.ts'
import { resolveReferences } from './references.ts'
import { type State, toEcho, toResponse, toState } from './response.ts'
import { ResponseWriter } from './response-writer.ts'
import { readStored } from './stored.ts'

/** Where the fields of a run come from. */
const NAMES: FieldNames = [
  [/^\/clientTools/, '/tools'],
  [/^\/outputSchema/, '/text/format/schema'],
  [/^\/maxOutputTokens/, '/max_output_tokens'],
  [/^\/(task|turns|context)\b.*/, '/input'],
]
const AnyResponse = Type.Unsafe({ type: 'object' })
const shared = { adapter: 'openai', problem: openAiProblem } as const
const byId = Type.Object({ id: Type.String({ minLength: 1, maxLength: 200, description: '`resp_...`' }) })
/** How long a response that is cancelled may take to end. */
const CANCEL_MS = 10_000

export const responseRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'POST',
    path: '/v1/responses',
    needs: 'submit',
    summary: "Answers in the shape of OpenAI's responses, which are stored, and which conversations go on from.",
    body: ResponseBody,
    isConversation: true,
    isKeyed: true,
    isNewWork: true,
    media: ['application/json', EVENT_STREAM],
    answers: { 200: AnyResponse },
    errors: [
      ...START_ERRORS,
      'run_not_found',
      'run_not_finished',
      'approval_not_found',
      'approval_closed',
      'invalid_transition',
    ],
    async handle(request) {
      const asked = readResponse({ ...request.body, input: await resolveReferences(request, request.body.input) })
      if (asked.isStream) request.context.streams.assertRoom(request.holder)
      return beginOnce(
        request,
        () => inWordsOfClient(() => beginResponse(request, asked), asked.model, NAMES),
        async (begun) => answer(request, asked, begun),
      )
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/v1/responses/{id}',
    summary: 'Shows a response that was stored.',
    params: byId,
    query: Type.Object({ stream: Type.Optional(Type.Boolean({ description: 'not supported' })) }),
    isLarge: true,
    answers: { 200: AnyResponse },
    errors: ['run_not_found'],
    async handle(request) {
      if (request.query.stream === true) refuse('/stream', 'is not supported here: ask again until the status is final')
      return ok(await readStored(request, await findResponse(request, request.params.id, '/id')))
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/v1/responses/{id}/cancel',
    needs: 'submit',
    summary: 'Ends the work on a response. One that has ended is answered as it is.',
    params: byId,
    body: Type.Object({}),
    answers: { 200: AnyResponse },
    errors: ['run_not_found'],
    async handle(request) {
      const { runs } = request.context.runtime
      const found = await findResponse(request, request.params.id, '/id')
      if (!isTerminal(found.run.status)) await runs.cancel(found.run.id, 'the client asked for it', request.caller.name)
      return ok(await readStored(request, { ...found, run: await runs.wait(found.run.id, CANCEL_MS) }))
    },
  }),
  route({
    ...shared,
    method: 'DELETE',
    path: '/v1/responses/{id}',
    needs: 'admin',
    summary: 'Removes a response that has ended, with its run.',
    params: byId,
    answers: { 200: AnyResponse },
    errors: ['run_not_found', 'run_active'],
    async handle(request) {
      const { id, run } = await findResponse(request, request.params.id, '/id')
      await request.context.runtime.runs.delete(run.id)
      return ok({ id, object: 'response', deleted: true })
    },
  }),
]

function answer(request: RouteRequest, asked: ResponseAsked, begun: Begun): Answer | Promise<Answer> {
  const { run } = begun
  const id = idOf('resp', begun)
  const echo = toEcho(asked.model, request.body as Record<string, unknown>)
  const describe = (state: State): object => toResponse(id, run.createdAt, echo, state)
  if (asked.isStream) {
    const createWriter = (send: (text: string) => void) => new ResponseWriter(send, id, describe)
    const onDisconnect = asked.isBackground ? 'continue' : 'cancel'
    return answerInPieces(request, asked, begun, { createWriter, onDisconnect })
  }
  if (!asked.isBackground) return answerWhole(request, asked, begun, (outcome) => describe(toState(id, outcome)))
  const status = run.status === 'queued' ? 'queued' : 'in_progress'
  return ok(describe({ status, output: [], facts: { run_id: run.id, status: run.status } }), begun.headers)
}
