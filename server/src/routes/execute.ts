import { isTerminal, type Run, ValidationError } from '@svc/core'
import type { Answer } from '../http/answer.ts'
import { EVENT_STREAM, negotiate } from '../http/request/accept.ts'
import { ExecuteBody, resultOf } from '../runs/run-body.ts'
import { START_ERRORS, startRun } from '../runs/start-run.ts'
import { prefersAsync, streamRun, waitForRun } from '../runs/wait-for-run.ts'
import { type Route, route } from './route.ts'
import { Accepted, AnyResult } from './schemas.ts'

const MEDIA = ['application/json', EVENT_STREAM]

export const executeRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/execute',
    needs: 'submit',
    summary: 'Runs a task and answers with its result; a run that fails is answered with its status and error.',
    body: ExecuteBody,
    isKeyed: true,
    isNewWork: true,
    media: MEDIA,
    answers: { 200: AnyResult, 202: Accepted },
    errors: START_ERRORS,
    async handle(request) {
      const { options: nested = {}, onDisconnect = 'cancel', ...flat } = request.body
      assertOnce(flat, nested)
      const { waitMs = 300_000, ...create } = { ...flat, ...nested }
      const isStream = negotiate(request.message, MEDIA) === EVENT_STREAM
      if (isStream) request.context.streams.assertRoom(request.holder)
      const started = await startRun(request, { ...create, onDisconnect }, { deltas: isStream })
      if (prefersAsync(request))
        return accepted(started.run, { ...started.headers, 'Preference-Applied': 'respond-async' })
      if (isStream) return streamRun(request, started, 200, onDisconnect)
      const run = await waitForRun(request, started.run, waitMs, onDisconnect)
      if (!isTerminal(run.status)) return accepted(run, started.headers)
      return { status: 200, body: resultOf(run), headers: started.headers }
    },
  }),
]

/** @throws ValidationError for an option that stands beside `task` and in `options` */
function assertOnce(flat: object, nested: object): void {
  const twice = Object.keys(nested).find((name) => name in flat)
  if (twice === undefined) return
  const message = `stands in /options/${twice} too: leave one of them out`
  throw new ValidationError('validation_failed', `execute: /${twice} ${message}`, {
    errors: [{ path: `/${twice}`, message }],
  })
}

const accepted = ({ id, status }: Run, headers: Record<string, string>): Answer => ({
  status: 202,
  body: { runId: id, status },
  headers,
})
