import type { ModelAnswer } from '../../../../contracts/model/model.ts'
import { addUsage, noUsage } from '../../../../contracts/model/usage-sum.ts'
import { ProviderError, toSvcError } from '../../../../errors.ts'
import { sleep } from '../../../../support/abortable.ts'
import { redactError } from '../../../../support/secrets.ts'
import type { Layer } from '../layer.ts'
import { addCost, type ModelCall } from '../model-call.ts'
import type { ModelContext } from '../model-context.ts'
import { DEFAULT_RETRIES, delayBeforeNext } from '../retry-delay.ts'

/** How often one call is made again for what its provider has learnt; each lesson changes the request. */
const MOST_ADAPTIONS = 8

/**
 * Asks a model until it answers, the failure is one that stays, or the tries are used.
 *
 * @throws ProviderError after the tries; LimitError of the ledger; the signal's reason
 */
export const retry =
  (run: ModelContext): Layer =>
  (call) => {
    const { provider } = call.target
    let tries = 1
    let adaptions = 0
    const gate = run.env.gates.of(provider.id)
    gate.begin()
    return {
      change: (answer) => withLosses(call, answer),
      again: async (failed) => {
        // Servers repeat in their errors what they were sent.
        const thrown = redactError(failed, run.env.redact)
        if (thrown instanceof ProviderError && thrown.learnt !== undefined && adaptions++ < MOST_ADAPTIONS) {
          call.announceLessons(thrown.learnt, thrown)
          call.prepare((await run.env.catalog.learntOf(call.target)) ?? call.target.info)
          return true
        }
        const spread = (): number => run.context.random(`${call.site.callId}/${tries}`)
        const { waitMs } = run.env.breakers.of(provider.id)
        const delayMs = delayBeforeNext(thrown, tries, provider.maxRetries ?? DEFAULT_RETRIES, spread, waitMs)
        const mayRetry = delayMs !== undefined && (!call.isSent || gate.takeRetry())
        call.isSent = false
        if (!mayRetry) {
          announceFailure(run, call, thrown)
          throw thrown
        }
        run.recorder.emit('model.retrying', { tries: ++tries, delayMs, cause: toSvcError(thrown).toInfo() }, call.site)
        await sleep(delayMs, run.stop.signal)
        return true
      },
    }
  }

/** What failed tries took counts for the answer that came at last. */
function withLosses({ lost, lostUsd }: ModelCall, answer: ModelAnswer): ModelAnswer {
  if (lost === undefined) return answer
  return { ...answer, usage: addUsage(answer.usage, lost), costUsd: addCost(answer.costUsd, lostUsd) }
}

function announceFailure(run: ModelContext, { target, site, lost, lostUsd }: ModelCall, thrown: unknown): void {
  const error = toSvcError(thrown, 'provider_bad_response').toInfo()
  const data = { provider: target.provider.id, model: target.model, error, usage: lost ?? noUsage(), costUsd: lostUsd }
  run.recorder.emit('model.failed', data, site)
}
