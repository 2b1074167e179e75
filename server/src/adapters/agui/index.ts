import * as Type from 'typebox'
import type { Answer } from '../../http/answer.ts'
import { EVENT_STREAM, negotiate } from '../../http/request/accept.ts'
import { noteProblem } from '../../http/send.ts'
import { type Route, type RouteRequest, route } from '../../routes/route.ts'
import { eventsSoFar } from '../../runs/events-so-far.ts'
import { START_ERRORS } from '../../runs/start-run.ts'
import type { BegunRun } from '../shared/begin-run.ts'
import { followRun } from '../shared/follow-answer.ts'
import { openStream } from '../shared/open-stream.ts'
import { begin, ThreadError } from './begin.ts'
import { BINARY, BINARY_HEADERS, type Encode, encodeText, loadBinary } from './encode.ts'
import { RunAgentInput } from './input.ts'
import { RunEvents } from './run-events.ts'
import type { AguiEvent } from './wire.ts'

const MEDIA = [EVENT_STREAM, BINARY]

/** Sends events to a page. */
interface Sender {
  encode: Encode
  headers?: Readonly<Record<string, string>>
}

/** AG-UI: a page sends the conversation, and is shown the run that answers it. */
export const aguiRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/agui',
    needs: 'submit',
    adapter: 'agui',
    summary: 'AG-UI: answers a conversation with the events of a run.',
    body: RunAgentInput,
    isConversation: true,
    isKeyed: true,
    isNewWork: true,
    media: MEDIA,
    answers: { 200: Type.String() },
    errors: [...START_ERRORS, 'approval_closed', 'approval_not_found'],
    problem: ({ detail, code, requestId, errors }) => ({
      body: { message: detail, code, requestId, ...(errors && { errors }) },
    }),
    async handle(request) {
      request.context.streams.assertRoom(request.holder)
      const isBinary = negotiate(request.message, MEDIA) === BINARY
      const sender = isBinary ? { encode: await loadBinary(), headers: BINARY_HEADERS } : { encode: encodeText }
      try {
        return show(request, await begin(request, request.body), sender)
      } catch (thrown) {
        if (thrown instanceof ThreadError) return refuse(request, thrown, sender)
        throw thrown
      }
    },
  }),
]

/** A request that does not fit its thread is answered as a run that fails. */
function refuse(
  request: RouteRequest<unknown, unknown, RunAgentInput>,
  { code, message }: ThreadError,
  { encode, headers }: Sender,
): Answer {
  const { threadId, runId } = request.body
  return {
    status: 200,
    write() {
      const stream = openStream(request, headers)
      stream.send(encode({ type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' }))
      stream.send(encode({ type: 'RUN_ERROR', message, code }))
      stream.end()
    },
  }
}

/** Streams what becomes of a run until it ends or waits; who leaves before ends it. */
function show(
  request: RouteRequest<unknown, unknown, RunAgentInput>,
  begun: BegunRun,
  { encode, headers }: Sender,
): Answer {
  const { context, response, body } = request
  const { run, after } = begun
  const { runtime } = context
  return {
    status: 200,
    headers: begun.headers,
    async write() {
      const stop = context.waiters.add(run, response, 'cancel')
      const stream = openStream(request, headers)
      const { threadId, runId, parentRunId, state } = body
      const send = (event: AguiEvent): void => stream.send(encode(event))
      const events = new RunEvents(run, { threadId, runId, parentRunId, from: after, state, send })
      try {
        events.start(run)
        for await (const event of eventsSoFar(runtime, { ...run, lastSeq: after })) events.apply(event)
        await followRun(request, run, {
          after,
          deltas: true,
          onEvent: (event) => events.apply(event),
          signal: stream.signal,
        })
        events.end(await runtime.runs.get(run.id))
      } catch (thrown) {
        if (stream.signal.aborted) return
        const { detail, code } = noteProblem(thrown, response)
        events.fail(detail, code)
      }
      stop()
      stream.end()
    },
  }
}
