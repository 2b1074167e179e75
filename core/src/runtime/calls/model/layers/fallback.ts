import { ProviderError } from '../../../../errors.ts'
import type { Layer } from '../layer.ts'
import type { ModelContext } from '../model-context.ts'

/** Asks the model that the request names, and after a failure that another may not have the next in line. */
export const fallback =
  (run: ModelContext): Layer =>
  async (call) => {
    const { catalog, config } = run.env
    // A request that names no model means the run's, which may be another than the runtime's.
    call.aim(await catalog.resolve(call.request.model || run.facts.defaultModel))
    const others = [...(run.profileOf(call.site.agentId)?.fallbackModels ?? []), ...(config.fallback ?? [])]
    return {
      again: async (thrown) => {
        if (!(thrown instanceof ProviderError) || thrown.code === 'content_filtered') return false
        const to = others.shift()
        if (to === undefined) return false
        run.recorder.emit('model.fallback', { from: call.modelName, to, cause: thrown.toInfo() }, call.site)
        call.aim(await catalog.resolve(to))
        return true
      },
    }
  }
