import type { ModelAnswer, ModelRequest } from '../../../../contracts/model/model.ts'
import { canonicalJson } from '../../../../support/canonical-json.ts'
import { redactTexts } from '../../../../support/secrets.ts'
import { describeErrors } from '../../../../text/describe-errors.ts'
import { findJson } from '../../../../text/find-json.ts'
import { findErrors } from '../../../../validate.ts'
import { costOf } from '../../../budget/cost.ts'
import type { Layer } from '../layer.ts'
import type { ModelCall } from '../model-call.ts'
import type { ModelContext } from '../model-context.ts'
import { type ReadAnswer, readAnswer } from '../read-answer.ts'

/** Asks the provider. Throws what it failed with. */
export const provider =
  (run: ModelContext): Layer =>
  async (call) => {
    const { provider, model } = call.target
    call.seen = ''
    call.isSent = true
    const sent: ModelRequest = { ...call.readable, model }
    if (call.maxOutputTokens !== undefined) sent.maxOutputTokens = call.maxOutputTokens
    await run.recorder.flush()
    const read = await readAnswer(provider, sent, run.stop, (type, text) => {
      call.seen += text
      call.announcePiece(type, text)
    })
    if (read.learnt !== undefined) call.announceLessons(read.learnt)
    if (read.limits !== undefined) run.env.gates.of(provider.id).learn(read.limits, read.usage.inputTokens)
    return { answer: await withData(run, call, toAnswer(run, call, read)) }
  }

function toAnswer(run: ModelContext, call: ModelCall, read: ReadAnswer): ModelAnswer {
  const { finishReason, usage, state, ttftMs, responseId } = read
  // A server may repeat the key that it got. In arguments, a key would leave by the next tool.
  const { text, reasoning, toolCalls } = redactTexts(
    { text: read.text, reasoning: read.reasoning, toolCalls: read.toolCalls },
    run.env.redact,
  )
  const { provider, model, info } = call.target
  const answer: ModelAnswer = {
    text,
    toolCalls,
    finishReason,
    usage,
    costUsd: costOf(usage, info?.price),
    provider: provider.id,
    model,
    latencyMs: Math.round(performance.now() - call.startedMs),
  }
  if (state !== undefined) answer.state = state
  if (responseId !== undefined) answer.responseId = responseId
  if (call.unseen.length > 0) answer.unseen = [...call.unseen]
  if (ttftMs !== undefined && call.readable.stream) answer.ttftMs = Math.round(ttftMs)
  if (reasoning !== '') answer.reasoning = reasoning
  return answer
}

/** With the output that the request asked for, and what who made the run says of its own. */
async function withData(run: ModelContext, { readable }: ModelCall, answer: ModelAnswer): Promise<ModelAnswer> {
  const { outputSchema } = readable
  if (outputSchema === undefined) return answer
  const found = findJson(answer.text, { strict: true })
  if (!('value' in found) || findErrors(outputSchema, found.value).length > 0) return answer
  answer.data = found.value
  if (run.checkOutput === undefined) return answer
  const isOfRun = canonicalJson(outputSchema) === canonicalJson(run.facts.options.outputSchema ?? null)
  const errors = isOfRun ? await run.checkOutput(found.value) : []
  if (errors.length > 0) answer.misfit = describeErrors(errors)
  return answer
}
