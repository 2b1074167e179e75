/**
 * The provider for those who have no key: no language model, but real tools, real files and sentences with their lines.
 */
import type { ModelInfo, ModelProvider } from '@svc/core'

const MODEL: ModelInfo = {
  id: 'extractive',
  context: 128_000,
  tools: true,
  vision: false,
  json: 'schema',
  reasoning: false,
  embedding: false,
  price: { input: 0, output: 0 },
}

/**
 * Makes the provider `offline` with its model `extractive`.
 *
 * A pure function of the request: it chooses among the offered tools by the wording of the objective, reads what they
 * returned from the messages, and answers with sentences that each name the file and line they come from, or says that
 * it found nothing. Asked for JSON it fills the fields from the same evidence, or declines in words. Costs nothing.
 *
 * @throws CancelledError when the signal aborts
 */
export function createOfflineProvider(): ModelProvider {
  return {
    id: 'offline',
    deterministic: true,
    defaultModel: MODEL.id,
    source: 'built in',
    models: async () => [MODEL],
    async *generate(request, context) {
      const { generate } = await import('./generate.ts')
      yield* generate(request, context)
    },
  }
}
