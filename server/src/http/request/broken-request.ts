import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { createId } from '@svc/core'

/** Answers what is no HTTP request, as far as anybody listens: there is no request that express could handle. */
export function answerBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = STATUS[error.code ?? ''] ?? 400
  const requestId = createId('req', Date.now())
  const problem = {
    type: 'https://svc.dev/errors/validation_failed',
    title: STATUS_CODES[status],
    status,
    detail: status === 408 ? 'the request did not arrive in time' : 'the request is no valid HTTP',
    instance: '/',
    code: 'validation_failed',
    requestId,
    retryable: status === 408,
  }
  const body = JSON.stringify(problem)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nX-Content-Type-Options: nosniff\r\n` +
      `x-should-retry: ${status === 408}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  )
}

const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}
