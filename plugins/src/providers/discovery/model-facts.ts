import type { ModelInfo } from '@svc/core'

/** When the facts below were looked up. A config's own values count more; what is not known for certain is left out. */
export const MODEL_FACTS_DATE = '2026-11-22'

type Facts = Omit<ModelInfo, 'id' | 'alias'>

/** What the models of these vendors take beside text, all that are listed here. */
const SEES = { vision: true, pdf: true }

const facts = (context: number, maxOutput: number, input: number, output: number, cacheRead: number): Facts => ({
  context,
  maxOutput,
  ...SEES,
  price: { input, output, cacheRead },
})

/** With a quarter more for what is written to the cache: Anthropic's models, for five minutes, and OpenAI's since 5.6. */
const billed = (...given: Parameters<typeof facts>): Facts => {
  const [, , input, output, cacheRead] = given
  return { ...facts(...given), price: { input, output, cacheRead, cacheWrite: input * 1.25 } }
}

const MILLION = 1_000_000

/**
 * Windows and longest answers in tokens, list prices in US dollars per million tokens, by the host that they are asked
 * at: a gateway in between has prices of its own. Surcharges for very long prompts are not in them.
 */
const FACTS: Readonly<Record<string, Readonly<Record<string, Facts>>>> = {
  'api.anthropic.com': {
    'claude-fable-5-1': billed(MILLION, 128_000, 10, 50, 0.25),
    'claude-opus-5-5': billed(MILLION, 128_000, 4, 20, 0.2),
    'claude-opus-5': billed(MILLION, 128_000, 5, 25, 0.5),
    'claude-opus-4-5': billed(200_000, 64_000, 5, 25, 0.5),
    'claude-sonnet-5-5': billed(MILLION, 128_000, 2, 10, 0.1),
    'claude-sonnet-5': billed(MILLION, 128_000, 2, 10, 0.2),
    'claude-sonnet-4-5': billed(200_000, 64_000, 3, 15, 0.3),
    // Its price depends on the length of the prompt.
    'claude-haiku-5-5': { context: MILLION, maxOutput: 128_000, ...SEES },
    'claude-haiku-4-5': billed(200_000, 64_000, 1, 5, 0.1),
  },
  'api.openai.com': {
    // List price; the vendor has asked for less at times.
    'gpt-5.6-sol': billed(1_050_000, 128_000, 5, 30, 0.5),
    'gpt-5.4': { ...SEES, price: { input: 2.5, output: 15, cacheRead: 0.25 } },
    'gpt-5.4-mini': { ...SEES, price: { input: 0.75, output: 4.5, cacheRead: 0.075 } },
    'gpt-5.2': facts(400_000, 128_000, 1.75, 14, 0.175),
    'gpt-5.1': facts(400_000, 128_000, 1.25, 10, 0.125),
    'gpt-5': facts(400_000, 128_000, 1.25, 10, 0.125),
    'gpt-5-mini': facts(400_000, 128_000, 0.25, 2, 0.025),
    'gpt-5-nano': facts(400_000, 128_000, 0.05, 0.4, 0.005),
    'gpt-4.1': facts(1_047_576, 32_768, 2, 8, 0.5),
    'gpt-4.1-mini': facts(1_047_576, 32_768, 0.4, 1.6, 0.1),
    'gpt-4.1-nano': facts(1_047_576, 32_768, 0.1, 0.4, 0.025),
    'gpt-4o': facts(128_000, 16_384, 2.5, 10, 1.25),
    'gpt-4o-mini': facts(128_000, 16_384, 0.15, 0.6, 0.075),
    o3: facts(200_000, 100_000, 2, 8, 0.5),
    'o4-mini': facts(200_000, 100_000, 1.1, 4.4, 0.275),
  },
  'api.x.ai': {
    'grok-4': { context: 256_000, price: { input: 3, output: 15, cacheRead: 0.75 } },
  },
}

/** Models of a config with what is known of them, before those that are known at this address and not in the config. */
export function withFacts(models: readonly ModelInfo[], baseUrl: string): ModelInfo[] {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : ''
  const known = FACTS[host] ?? {}
  const own = new Set(models.map(({ id }) => id))
  return [
    ...models.map((model) => ({ ...known[model.id], ...model })),
    ...Object.entries(known)
      .filter(([id]) => !own.has(id))
      .map(([id, info]) => ({ id, ...info })),
  ]
}
