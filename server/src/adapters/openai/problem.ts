import type { Problem, ProblemShape } from '../../http/problem.ts'

/** An error as OpenAI's clients read it. `code` is that of svc. */
export interface OpenAiError {
  error: { message: string; type: string; param: string | null; code: string }
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  421: 'permission_error',
  429: 'rate_limit_error',
}

export function toOpenAiError({ code, status, detail, errors = [] }: Problem): OpenAiError {
  const [first] = errors
  const fields = errors.map(({ path, message }) => (path === '' ? message : `${toParam(path)}: ${message}`))
  return {
    error: {
      message: code === 'validation_failed' && fields.length > 0 ? fields.join('; ') : detail,
      type: TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
      param: first === undefined || first.path === '' ? null : toParam(first.path),
      code,
    },
  }
}

/** A field as OpenAI names it, of its JSON pointer: `messages[0].content`. */
const toParam = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('')

export const openAiProblem: ProblemShape = (problem) => ({
  body: toOpenAiError(problem),
  // It is the model that did not answer well, as with `provider_bad_response`.
  ...(problem.code === 'output_schema_mismatch' && { status: 502 }),
})
