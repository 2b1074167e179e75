import { createError, ERROR_CODES, type ErrorCode } from '@svc/core'
import { code, page, table } from './markdown.ts'

/** Every code of an error, with what follows from it. */
export function errors(): string {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[]
  return page(
    '# Codes of errors',
    'Written from `core/src/errors.ts` by `npm run fix`. An error of svc has a `code`, the same in a program, over HTTP ([Problem](http.md#problem)), in events and in Python. `retryable`: whether the same may succeed later, unless an error says otherwise itself. The exit code is the one that a command of `svc` ends with.',
    table(
      ['code', 'class', 'HTTP status', 'retryable', 'exit code'],
      codes.map((word) => {
        const { status, retryable, exitCode } = ERROR_CODES[word]
        const { name } = createError(word, '')
        return [code(word), code(name), String(status), retryable ? 'yes' : 'no', String(exitCode)]
      }),
    ),
  )
}
