import { toSvcError } from '@svc/core'
import { type Io, toSafe } from './io.ts'

/** Says what went wrong, for a program also as JSON, without a stack unless that is asked for. @returns the exit code */
export function reportError(thrown: unknown, io: Io, asJson: boolean, verbose = false): number {
  const error = toSvcError(thrown)
  const { code, message, retryable, errors = [], exitCode } = error
  io.err(`${io.paint.red('svc:')} ${toSafe(message)} ${io.paint.dim(`[${code}]`)}\n`, 'error')
  for (const { path, message: detail } of errors.slice(0, 10)) {
    if (!message.includes(detail)) io.err(`  ${toSafe(`${path || '/'} ${detail}`).replaceAll('\n', ' ')}\n`, 'error')
  }
  if (asJson) {
    const info = { code, message, retryable, ...(errors.length === 0 ? {} : { errors }) }
    io.out(`${JSON.stringify({ error: info })}\n`)
  }
  if (verbose && error.stack !== undefined) io.err(toSafe(`${stackOf(error)}\n`))
  return exitCode
}

/** The stack of what was thrown first. */
function stackOf(error: Error): string {
  const { cause } = error
  return cause instanceof Error && cause.stack !== undefined ? stackOf(cause) : (error.stack ?? '')
}
