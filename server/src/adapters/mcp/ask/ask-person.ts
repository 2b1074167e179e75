import type { ElicitResult, InputRequiredResult } from '@modelcontextprotocol/server'
import type { Run } from '@svc/core'
import { asks, type Call } from '../call.ts'
import { watchClosed } from '../run/follow.ts'
import { type Answer, answerQuestion, type Question, questionsOf } from './questions.ts'

/** As long as a call of a client's tool waits. */
const ANSWER_MS = 3_600_000
/** How often the same is asked of who answers what cannot be taken. */
const MOST_TRIES = 5

/** What a person was asked in one call, by the keys of the questions. */
export interface Asked {
  /** Answered a moment ago: the run may still have it open. */
  answered: Set<string>
  /** Why an answer cannot be taken. */
  refused: Map<string, string>
}

const paramsOf = ({ message, form, key }: Question, { refused }: Asked) => {
  const why = refused.get(key)
  return {
    mode: 'form' as const,
    message: why === undefined ? message : `This cannot be taken: ${why}\n\n${message}`,
    requestedSchema: { type: 'object' as const, properties: form.fields, required: form.required },
  }
}

/** The result that asks the person; their answers come with the next request. */
export function askLater(run: Run, open: readonly Question[], asked: Asked, isOwn: boolean): InputRequiredResult {
  const requests = open.map((question) => [
    question.key,
    { method: 'elicitation/create', params: paramsOf(question, asked) },
  ])
  return {
    resultType: 'input_required',
    inputRequests: Object.fromEntries(requests),
    ...(isOwn && { requestState: run.id }),
  } as InputRequiredResult
}

/** Hands on what the request brings of answers. */
export async function takeAnswers(run: Run, call: Call, { answered, refused }: Asked): Promise<void> {
  const { inputResponses = {} } = call.context.mcpReq
  if (!asks(call)) return
  for (const question of questionsOf(run, answered)) {
    const answer = toAnswer(inputResponses[question.key])
    if (answer === undefined) continue
    const why = await answerQuestion(call.host, run, question, answer)
    if (why === undefined) answered.add(question.key)
    else refused.set(question.key, why)
  }
}

function toAnswer(response: unknown): Answer | undefined {
  const { action, content } = (response ?? {}) as Partial<ElicitResult>
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return undefined
  return { action, ...(typeof content === 'object' && content !== null && { content }) }
}

/**
 * Asks the person while the call is open. A person who cannot be asked has not said yes.
 *
 * @param tries how often the run was asked for its questions, this time included
 */
export async function askNow(
  run: Run,
  question: Question,
  { host, context }: Call,
  asked: Asked,
  tries: number,
): Promise<void> {
  const { answered, refused } = asked
  const closed = new AbortController()
  const over = new AbortController()
  watchClosed(host.runtime, run, question.key, over.signal, () => closed.abort()).catch(() => {}) // the run is gone
  const signal = AbortSignal.any([context.mcpReq.signal, closed.signal])
  let answer: Answer = { action: 'cancel' }
  try {
    const request = { method: 'elicitation/create' as const, params: paramsOf(question, asked) }
    const said = await context.mcpReq.send(request as never, { timeout: ANSWER_MS, signal })
    answer = toAnswer(said) ?? answer
  } catch {
    // The client cannot ask, did not answer in time, or has gone; or somebody else has answered.
  } finally {
    over.abort()
  }
  answered.add(question.key)
  if (signal.aborted) return
  const why = await answerQuestion(host, run, question, answer)
  if (why === undefined) return
  if (tries >= MOST_TRIES) await answerQuestion(host, run, question, { action: 'decline' })
  else {
    refused.set(question.key, why)
    answered.delete(question.key)
  }
}
