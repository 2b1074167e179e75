import { textMessage } from '../../../contracts/model/message-text.ts'
import type { ModelAnswer } from '../../../contracts/model/model.ts'
import type { Usage } from '../../../contracts/model/usage.ts'
import type { Ports } from '../../../contracts/run/run-context.ts'
import type { JsonSchema } from '../../../contracts/schema.ts'
import { SvcError } from '../../../errors.ts'
import { estimateTokens, findJson } from '../../../text/index.ts'
import { fits } from '../../../validate.ts'
import type { JudgeOptions, Material } from '../material.ts'
import { type Accepted, accept } from './accept.ts'
import { toEvidence } from './evidence.ts'
import { MAX_READ, OUTPUT_TOKENS, type Reading, Readings, SYSTEM, toPrompt } from './prompt.ts'

/** What a reader found of the statements that were open, those left open aside. */
export interface Read {
  readonly found: ReadonlyMap<string, Accepted>
  readonly usage: Usage
}

const AGENT = 'reflection'

/**
 * Asks a model, in one call, which of the open statements of an answer the evidence of the run holds or refutes. What it says
 * counts only with words that stand in that evidence.
 *
 * @returns `undefined` where nobody could be asked: no budget, no answer
 * @throws CancelledError when the run is cancelled meanwhile
 */
export async function askReader(
  material: Material,
  open: readonly string[],
  { attempt, models: [model = ''] = [], onUnavailable }: JudgeOptions & { attempt: number },
  { budget, model: ask }: Pick<Ports, 'budget' | 'model'>,
): Promise<Read | undefined> {
  const asked = open.slice(0, MAX_READ)
  const items = toEvidence(material)
  const prompt = toPrompt(material, items, asked)
  const needed = estimateTokens(SYSTEM + prompt) + OUTPUT_TOKENS
  if (budget.exhausted || budget.remaining() < needed) {
    onUnavailable?.(`the budget does not pay a reader (about ${needed} tokens)`)
    return undefined
  }
  let answer: ModelAnswer
  try {
    answer = await ask({
      key: `reflect/attempt:${attempt}/reader`,
      agentId: AGENT,
      model,
      messages: [textMessage('system', SYSTEM), textMessage('user', prompt)],
      outputSchema: Readings as unknown as JsonSchema,
      maxOutputTokens: OUTPUT_TOKENS,
      temperature: 0,
      stream: false,
    })
  } catch (thrown) {
    if (SvcError.isInstance(thrown) && thrown.code === 'cancelled') throw thrown
    onUnavailable?.(thrown instanceof Error ? thrown.message : 'the reader gave no answer')
    return undefined
  }
  const readings = toReadings(answer)
  if (readings === undefined) onUnavailable?.('the reader gave no answer that could be read')
  const found = new Map<string, Accepted>()
  const seen = new Set<number>()
  for (const reading of readings ?? []) {
    const text = asked[reading.statement - 1]
    if (text === undefined || seen.has(reading.statement)) continue
    seen.add(reading.statement)
    const accepted = await accept(text, reading, items)
    if (accepted !== undefined) found.set(text, accepted)
  }
  return { found, usage: answer.usage }
}

function toReadings({ data, text }: ModelAnswer): readonly Reading[] | undefined {
  const found = data === undefined ? findJson(text) : { value: data }
  return 'value' in found && fits(Readings, found.value) ? found.value.readings : undefined
}
