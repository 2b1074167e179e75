import type { Reserve, Usage } from '../../../../contracts/model/usage.ts'
import { addUsage, noUsage } from '../../../../contracts/model/usage-sum.ts'
import { ProviderError } from '../../../../errors.ts'
import { estimateTokens } from '../../../../text/estimate-tokens.ts'
import { costOf } from '../../../budget/cost.ts'
import { PLAIN_OUTPUT_TOKENS, type Reservation } from '../../../budget/ledger.ts'
import type { Layer } from '../layer.ts'
import { addCost, announceBudget, type ModelCall } from '../model-call.ts'
import type { ModelContext } from '../model-context.ts'

/** An answer that nobody bounds gets no limit while so many tokens are left: hardly one is longer. */
const AMPLE_TOKENS = 32_768

/** Reserves what a call may take, and charges what it took. Throws LimitError where nothing is left. */
export const ledger =
  (run: ModelContext): Layer =>
  async (call) => {
    const reservation = await reserve(run, call)
    call.note(toReserve(reservation, call))
    const settle = (usage: Usage, estimate: Usage, costUsd: number | null): void =>
      announceBudget(run, call.site, run.ledger.settle(reservation, usage, estimate, costUsd))
    return {
      onAnswer: (answer) => settle(answer.usage, call.estimateOf(answer), answer.costUsd),
      onFailure: (thrown) => {
        const usage = lostUsage(thrown, call)
        const costUsd = usage.inputTokens + usage.outputTokens === 0 ? 0 : costOf(usage, call.target.info?.price)
        call.lose(usage, costUsd)
        // Of a try that was cut off with its run nobody knows what it took.
        if (!run.stop.isStopped) call.note(lostReserve(call))
        settle(usage, usage, costUsd)
      },
    }
  }

/** Sets the call's limit of output. */
export async function reserve(run: ModelContext, call: ModelCall): Promise<Reservation> {
  run.stop.throwIfStopped()
  const { target, mostTokens, reservedTokens } = call
  const { agentId } = call.site
  // No limit is sent where neither the model nor the budget has one that is near: then the answer's usual length is reserved.
  const isOpen = mostTokens === undefined && !run.ledger.limitsCost && run.ledger.remaining(agentId) > AMPLE_TOKENS
  const wantedTokens = isOpen ? PLAIN_OUTPUT_TOKENS : (mostTokens ?? AMPLE_TOKENS)
  const reservation = await run.ledger.reserve(
    agentId,
    reservedTokens,
    wantedTokens,
    target.info?.price,
    run.stop.signal,
  )
  const { outputTokens } = reservation
  call.maxOutputTokens = isOpen && outputTokens >= PLAIN_OUTPUT_TOKENS ? undefined : outputTokens
  return reservation
}

/** What is to be counted of a call should its process end now: what its failed tries took, and what this one may take. */
export function toReserve(
  { inputTokens, outputTokens, costUsd, price }: Reservation,
  { lost = noUsage(), lostUsd = 0 }: Partial<Pick<ModelCall, 'lost' | 'lostUsd'>> = {},
): Reserve {
  const usual = { inputTokens, outputTokens: Math.min(outputTokens, PLAIN_OUTPUT_TOKENS), estimated: true }
  const usualUsd = costOf(usual, price)
  return {
    usage: addUsage(lost, usual),
    costUsd: addCost(lostUsd, usualUsd),
    moreTokens: outputTokens - usual.outputTokens,
    moreUsd: Math.max(0, costUsd - (usualUsd ?? 0)),
  }
}

const lostReserve = ({ lost = noUsage(), lostUsd }: ModelCall): Reserve | undefined =>
  lost.inputTokens + lost.outputTokens === 0 ? undefined : { usage: lost, costUsd: lostUsd, moreTokens: 0, moreUsd: 0 }

/** What a failed try may have cost: nothing when it was refused, its input and what came of it when it broke off. */
export function lostUsage(thrown: unknown, { inputTokens, seen }: Pick<ModelCall, 'inputTokens' | 'seen'>): Usage {
  if (seen === '' && !brokeOff(thrown)) return noUsage()
  return { inputTokens, outputTokens: estimateTokens(seen), estimated: true }
}

/** Whether the model may have worked on it: an answer of another status than success is a refusal. */
const brokeOff = (thrown: unknown): boolean =>
  thrown instanceof ProviderError &&
  (thrown.code === 'provider_timeout' ||
    (thrown.code === 'provider_bad_response' && thrown.providerStatus === undefined))
