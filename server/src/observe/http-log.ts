import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRedactor, redactShapes } from '@svc/core'
import { stateOf } from '../http/request/request-state.ts'

/** One answered request, for the log: no body, no query, no key. */
export interface LogLine {
  time: string
  level: 'info' | 'warn' | 'error'
  requestId: string
  method: string
  /** As the table names it, so that no id of a user's choosing is logged as a path. */
  route: string
  /** 499 where the client left before the answer. */
  status: number
  durationMs: number
  /** Name of who asked, where that was looked at. */
  caller?: string
  /** Address of the client, or of the proxy that it came through. */
  address?: string
  /** The run that the route names, or that the request made. */
  run?: string
  code?: string
  error?: string
}

/** What a request was answered with; 499, as in the logs of nginx, where its client left before there was an answer. */
export const statusOf = ({ headersSent, statusCode }: ServerResponse): number => (headersSent ? statusCode : 499)

/** @param secrets texts that no line may hold */
export function toLogLine(
  { method = '', socket }: IncomingMessage,
  response: ServerResponse,
  seconds: number,
  secrets: readonly string[],
): LogLine {
  const { requestId, route, caller, run, code, failure } = stateOf(response)
  const { remoteAddress: address } = socket
  const status = statusOf(response)
  return {
    time: new Date().toISOString(),
    level: status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info',
    requestId,
    method,
    route,
    status,
    durationMs: Math.round(seconds * 1e6) / 1e3,
    ...(caller !== undefined && { caller }),
    ...(address !== undefined && { address }),
    ...(run !== undefined && { run }),
    ...(code !== undefined && { code }),
    ...(failure !== undefined && { error: redactShapes(createRedactor(secrets)(textOf(failure))) }),
  }
}

const textOf = (failure: unknown): string =>
  failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)
