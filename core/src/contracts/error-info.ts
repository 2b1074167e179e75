import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { ErrorCode } from './error-codes.ts'
import { Text } from './schema.ts'

/** An error as data: what crosses a process boundary of an `SvcError`. */
export const ErrorInfo = Type.Object({
  code: Type.Unsafe<ErrorCode>(Text('one of the documented error codes')),
  message: Text('what went wrong, where, and what to do'),
  retryable: Type.Boolean({ description: 'whether the same request may succeed later' }),
})
export type ErrorInfo = Static<typeof ErrorInfo>
