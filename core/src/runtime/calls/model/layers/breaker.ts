import type { Layer } from '../layer.ts'
import type { ModelContext } from '../model-context.ts'

/** Sends nothing to a provider that was found out of reach. */
export const breaker =
  (run: ModelContext): Layer =>
  async (call) => {
    const breaker = run.env.breakers.of(call.target.provider.id)
    const isProbe = await breaker.enter(run.stop.signal)
    const { openMs: sentAt, answers } = breaker
    return {
      onAnswer: () => breaker.settle(sentAt, isProbe),
      onFailure: (thrown) => breaker.settle(sentAt, isProbe, thrown, answers),
    }
  }
