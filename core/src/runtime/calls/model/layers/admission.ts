import { ProviderError } from '../../../../errors.ts'
import type { Layer } from '../layer.ts'
import type { ModelContext } from '../model-context.ts'

/** Lets a call leave when its provider takes it: see `Gate`. What the provider says of its limits, all runs go by. */
export const admission =
  (run: ModelContext): Layer =>
  async (call) => {
    const { provider, model, info } = call.target
    const gate = run.env.gates.of(provider.id)
    gate.limit(provider, model, info)
    const tokens = call.reservedTokens + (call.maxOutputTokens ?? 0)
    const { id: runId, owner } = run.facts
    const leave = await gate.enter({ owner, runId, model, tokens }, run.stop.signal, (reason) => {
      const message = `a call to ${call.modelName} waits for its turn: ${reason}`
      run.recorder.emit('log.line', { level: 'info', message }, call.site)
    })
    return {
      onAnswer: ({ usage }) => leave.end(usage.inputTokens + usage.outputTokens),
      onFailure: (thrown) => {
        if (thrown instanceof ProviderError && thrown.retryAfterMs !== undefined) gate.pause(thrown.retryAfterMs)
        leave.end()
      },
    }
  }
