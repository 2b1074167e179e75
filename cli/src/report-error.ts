import { SvcError, toSvcError } from '@svc/core'
import { type Io, toSafe } from './io.ts'

/** Says what went wrong, without a stack trace, and answers with the exit code. */
export function reportError(thrown: unknown, io: Io, output: 'text' | 'json' | 'stream-json', verbose = false): number {
  const error = fromCac(thrown) ?? toSvcError(thrown)
  if (output === 'text') {
    io.err(toSafe(`svc: ${error.message} [${error.code}]\n`))
    for (const { path, message } of error.errors?.slice(0, 10) ?? []) {
      if (!error.message.includes(message)) io.err(toSafe(`  ${path || '/'} ${message}\n`))
    }
  } else {
    const { code, message, retryable, errors } = error
    io.out(`${JSON.stringify({ error: { code, message, retryable, ...(errors === undefined ? {} : { errors }) } })}\n`)
  }
  if (verbose && error.stack !== undefined) io.err(toSafe(`${error.stack}\n`))
  return error.exitCode
}

/** What cac throws is a mistake in the words of the command. */
function fromCac(thrown: unknown): SvcError | undefined {
  if (!(thrown instanceof Error) || thrown.name !== 'CACError') return undefined
  return new SvcError('validation_failed', thrown.message)
}
