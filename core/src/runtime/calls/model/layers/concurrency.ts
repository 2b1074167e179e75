import type { Layer } from '../layer.ts'
import type { ModelContext } from '../model-context.ts'

/** Lets no more calls to a provider run at once than it allows, over all runs. */
export const concurrency =
  (run: ModelContext): Layer =>
  async (call) => {
    const { id, maxConcurrency } = call.target.provider
    if (maxConcurrency === undefined) return {}
    const semaphore = run.env.semaphores.of(id, maxConcurrency)
    await semaphore.enter(run.stop.signal)
    return { onAnswer: () => semaphore.leave(), onFailure: () => semaphore.leave() }
  }
