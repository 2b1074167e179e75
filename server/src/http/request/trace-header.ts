import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Run, readTraceparent, rootSpanOf, toTraceparent, traceIdOf } from '@svc/core'

/** Names the trace of an answer: the one that the request came with, else a new one that nobody records. */
export function answerTrace({ headers }: IncomingMessage, response: ServerResponse): void {
  const caller = readTraceparent(textOf(headers.traceparent))
  const drawn = randomBytes(24).toString('hex')
  const { traceId, isSampled } = caller ?? { traceId: drawn.slice(16), isSampled: false }
  response.setHeader('traceparent', toTraceparent({ traceId, spanId: drawn.slice(0, 16), isSampled }))
}

/** Names the trace of a run that the request has made. */
export function answerTraceOf(run: Run, { headers }: IncomingMessage, response: ServerResponse): void {
  const { traceId, isSampled } = readTraceparent(textOf(headers.traceparent)) ?? {
    traceId: traceIdOf(run.id, undefined),
    isSampled: true,
  }
  response.setHeader('traceparent', toTraceparent({ traceId, spanId: rootSpanOf(run.id), isSampled }))
}

/** Two headers of one name reach us as one text with a comma, which is no `traceparent`. */
const textOf = (header: string | string[] | undefined): string => String(header)
