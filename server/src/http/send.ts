import type { IncomingMessage, ServerResponse } from 'node:http'
import { ERROR_CODES, type SvcError } from '@svc/core'
import type { Route } from '../routes/route.ts'
import type { Answer } from './answer.ts'
import { isKnownTo, tagOf } from './entity-tag.ts'
import { type Problem, retryAfterOf, toKnownError, toProblem } from './problem.ts'
import { stateOf } from './request/request-state.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Sends what a handler answered. */
export async function sendAnswer(
  route: Pick<Route, 'hasTag' | 'media'>,
  answer: Answer,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, body, headers = {}, write } = answer
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (write !== undefined) {
    response.statusCode = status
    await write(response)
    return
  }
  if (body === undefined) {
    response.writeHead(status).end()
    return
  }
  const [media = 'application/json'] = route.media ?? []
  const isJson = media === 'application/json'
  const text = isJson || typeof body !== 'string' ? JSON.stringify(body) : body
  response.setHeader(
    'Content-Type',
    isJson ? JSON_TYPE : `${media}${media.includes('charset') ? '' : '; charset=utf-8'}`,
  )
  if (route.hasTag && status === 200) {
    const tag = tagOf(text)
    response.setHeader('ETag', tag)
    if (!headers['Cache-Control']) response.setHeader('Cache-Control', 'private, no-cache')
    if (isKnownTo(message, tag)) {
      response.removeHeader('Content-Type')
      response.writeHead(304).end()
      return
    }
  }
  response.writeHead(status, { 'Content-Length': Buffer.byteLength(text) }).end(message.method === 'HEAD' ? '' : text)
}

/** What went wrong in the middle of a stream, as it is said there and in the log. */
export function noteProblem(thrown: unknown, response: ServerResponse): Problem {
  const { requestId, route } = stateOf(response)
  return toProblem(noted(thrown, response), requestId, route)
}

/** What was thrown, which the log says of the request. */
function noted(thrown: unknown, response: ServerResponse): SvcError {
  const error = toKnownError(thrown)
  const state = stateOf(response)
  state.code = error.code
  if (error.code === 'internal_error') state.failure = error.cause ?? error
  return error
}

/** Sends what went wrong; a response that has begun is cut, so that nobody takes it for a whole one. */
export function sendError(thrown: unknown, message: IncomingMessage, response: ServerResponse): void {
  const error = noted(thrown, response)
  const state = stateOf(response)
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status } = ERROR_CODES[error.code]
  const [path = '/'] = (message.url ?? '/').split('?')
  if (status === 429 || status === 503) response.setHeader('Retry-After', String(retryAfterOf(error)))
  if (status === 401) response.setHeader('WWW-Authenticate', state.challenge?.() ?? 'Bearer')
  response.setHeader('x-should-retry', String(error.retryable))
  response.setHeader('Cache-Control', 'no-store')
  const problem = toProblem(error, state.requestId, path.slice(0, 500))
  const shaped = state.shape?.(problem)
  response.setHeader('Content-Type', shaped === undefined ? 'application/problem+json; charset=utf-8' : JSON_TYPE)
  for (const [name, value] of Object.entries(shaped?.headers ?? {})) response.setHeader(name, value)
  const text = JSON.stringify(shaped?.body ?? problem)
  response
    .writeHead(shaped?.status ?? status, { 'Content-Length': Buffer.byteLength(text) })
    .end(message.method === 'HEAD' ? '' : text)
}
