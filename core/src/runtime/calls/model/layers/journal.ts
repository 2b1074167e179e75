import type { EventData } from '../../../../contracts/log/event.ts'
import type { ModelAnswer } from '../../../../contracts/model/model.ts'
import type { Reserve } from '../../../../contracts/model/usage.ts'
import { CapacityError } from '../../../../errors.ts'
import type { TokenCorrection } from '../../../budget/token-correction.ts'
import { estimateOutput } from '../estimate-request.ts'
import type { Layer } from '../layer.ts'
import type { ModelCall } from '../model-call.ts'
import type { ModelContext } from '../model-context.ts'
import type { PromptLog } from '../prompt-log.ts'

/** Records what came of a call, and answers from the record what an earlier life of the run has made. */
export const journal =
  (run: ModelContext, correction: TokenCorrection, prompts: PromptLog): Layer =>
  async (call) => {
    const { site, inputTokens } = call
    const settle = (answer: ModelAnswer, isMade: boolean): void => {
      const { provider, model, usage, unseen } = answer
      if (unseen === undefined) correction.observe(`${provider}/${model}`, inputTokens, usage)
      report(run, call, answer, !isMade)
      if (!isMade && unseen === undefined) prompts.noteRecorded(site, call.request.messages)
    }
    countEarlierTries(run, call)
    const step = await run.recorder.journal.begin<ModelAnswer>(call.key, 'pure', call.mark)
    if (step.isDone) {
      const answer = step.outcome
      await chargeAgain(run, call, answer)
      return { answer, onAnswer: () => settle(answer, false) }
    }
    call.note = step.note
    if (step.noted !== undefined) countDoubt(run, call, step.noted as Reserve)
    return {
      onAnswer: async (answer) => {
        await step.end(answer)
        settle(answer, true)
      },
      onFailure: (thrown) => step.fail(thrown),
    }
  }

/** Counts what tries of earlier lives took that ended without an answer. */
export function countEarlierTries({ recorder, ledger }: ModelContext, { site }: Pick<ModelCall, 'site'>): void {
  for (const { type, data } of recorder.comeTo(site)) {
    if (type === 'model.retrying' && data.reserve !== undefined) ledger.doubt(site.agentId, data.reserve)
    if (type === 'model.failed' && data.usage !== undefined)
      ledger.charge(site.agentId, data.usage, data.costUsd ?? null)
  }
}

/** Counts the try that the newest of the earlier lives was at when it ended. */
export function countDoubt(
  { recorder, ledger }: ModelContext,
  { site, note }: Pick<ModelCall, 'site' | 'note'>,
  reserve: Reserve,
): void {
  note(undefined) // leaves together with the event, which is what counts from now on
  ledger.doubt(site.agentId, reserve)
  const cause = new CapacityError('lease_lost', 'the process that made this call ended before an answer was recorded')
  const { retries = 0 } = recorder.view.findModelCall(site.agentId, site.callId) ?? {}
  recorder.emit('model.retrying', { tries: retries + 2, delayMs: 0, cause: cause.toInfo(), reserve }, site)
}

/** Counts a recorded answer as its call was counted, svc's own estimate included. */
async function chargeAgain(run: ModelContext, { site, inputTokens }: ModelCall, answer: ModelAnswer): Promise<void> {
  const { text, reasoning = '', toolCalls, usage, costUsd, provider, model } = answer
  const estimate = { inputTokens, outputTokens: estimateOutput({ text, reasoning, toolCalls }), estimated: true }
  const price = run.ledger.limitsCost ? await run.env.catalog.priceOf(provider, model) : undefined
  run.ledger.charge(site.agentId, usage, costUsd, estimate, price)
}

function report(run: ModelContext, call: ModelCall, answer: ModelAnswer, cached: boolean): void {
  const { toolCalls, finishReason, usage, costUsd, latencyMs, ttftMs, provider, model, text, responseId, unseen } =
    answer
  const data: EventData['model.completed'] = {
    provider,
    model,
    toolCalls,
    finishReason,
    usage,
    costUsd,
    latencyMs,
    cached,
  }
  if (call.recorded !== undefined && run.env.cassette?.isStrict === false) data.recorded = true
  if (ttftMs !== undefined) data.ttftMs = ttftMs
  if (responseId !== undefined) data.responseId = responseId
  if (unseen !== undefined) data.unseen = unseen
  for (const what of unseen ?? []) {
    const kind = what.startsWith('PDF') ? 'PDFs' : 'images'
    run.recorder.warn({
      code: 'media_unseen',
      message: `${provider}/${model} was not shown ${what}: it takes no ${kind}`,
    })
  }
  run.recorder.emit('model.completed', data, call.site)
  if (text === '') return
  const content = [{ type: 'text' as const, text }]
  run.recorder.emit('message.completed', { role: 'assistant', content, streamed: call.request.stream }, call.site)
}
