import type { ProblemShape } from '../http/problem.ts'
import { toOpenAiError } from './openai/problem.ts'

/**
 * A problem of which nobody knows what protocol its client speaks: as RFC 9457 has it, with the message also in
 * `error`, where the clients of OpenAI and Anthropic read it.
 */
export const inAnyShape: ProblemShape = (problem) => ({
  body: { ...problem, ...toOpenAiError(problem) },
  headers: { 'Content-Type': 'application/problem+json; charset=utf-8', 'request-id': problem.requestId },
})
