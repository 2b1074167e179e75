import type { ErrorCode } from '@svc/core'
import type { Problem, ProblemShape } from '../../http/problem.ts'

/** An error as clients of Anthropic read it. */
export interface AnthropicError {
  type: 'error'
  error: { type: string; message: string; details?: { error_code: string } }
  request_id: string
}

/** Types of errors by HTTP status; any other is one of the request below 500, and one of the server from there on. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}

/** What is answered otherwise than on other routes. With `error_code` a client sends a conversation whole that was held here. */
const OTHERWISE: Partial<Record<ErrorCode, { status: number; error_code?: string }>> = {
  thread_not_found: { status: 404, error_code: 'thread_not_found' },
  version_conflict: { status: 400, error_code: 'thread_already_continued' },
  // It is the model that did not answer well, as with `provider_bad_response`.
  output_schema_mismatch: { status: 502 },
}

/** A problem in Anthropic's shape. */
export function toAnthropicError({ code, status, detail, requestId }: Problem): AnthropicError {
  const { status: answered = status, error_code } = OTHERWISE[code] ?? {}
  return {
    type: 'error',
    error: {
      type: TYPES[answered] ?? (answered < 500 ? 'invalid_request_error' : 'api_error'),
      message: detail,
      ...(error_code !== undefined && { details: { error_code } }),
    },
    request_id: requestId,
  }
}

/** How the routes of Anthropic answer a request that they refuse. */
export const anthropicProblem: ProblemShape = (problem) => ({
  body: toAnthropicError(problem),
  status: OTHERWISE[problem.code]?.status ?? problem.status,
  headers: { 'request-id': problem.requestId },
})
