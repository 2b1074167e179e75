import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Run, readTraceparent, rootSpanOf, toTraceparent, traceIdOf } from '@svc/core'

/** Names the trace of an answer: the one that the request came with, else a new one that nobody records. */
export function answerTrace({ headers }: IncomingMessage, response: ServerResponse): void {
  const caller = readTraceparent(textOf(headers.traceparent))
  const { traceId, isSampled } = caller ?? { traceId: newDigits(), isSampled: false }
  response.setHeader('traceparent', toTraceparent({ traceId, spanId: newDigits().slice(0, 16), isSampled }))
}

/** 32 hexadecimal digits: the bytes of UUIDs are drawn for many at once, and a draw is a tenth of what a probe costs. */
const newDigits = (): string => randomUUID().replaceAll('-', '')

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
