import { textMessage } from '../../../contracts/model/message-text.ts'
import type { ModelAnswer } from '../../../contracts/model/model.ts'
import type { Usage } from '../../../contracts/model/usage.ts'
import type { Ports } from '../../../contracts/run/run-context.ts'
import type { JsonSchema } from '../../../contracts/schema.ts'
import { SvcError } from '../../../errors.ts'
import { estimateTokens, findJson } from '../../../text/index.ts'
import { fits } from '../../../validate.ts'
import { excerpt, type Found, fail, NOT_APPLICABLE, pass } from '../check.ts'
import type { Material, ReaderOptions } from '../material.ts'
import { isFirm, type JudgedStatement, judgeStatements } from '../rules/judge-statements.ts'
import type { Holding } from '../rules/rule.ts'
import { accept } from './accept.ts'
import { type Control, mix, toControls } from './controls.ts'
import { type Evidence, toEvidence, toShown } from './evidence.ts'
import {
  EVIDENCE_CHARS,
  MAX_READ,
  OUTPUT_TOKENS,
  type Reading,
  Readings,
  STATEMENT_CHARS,
  SYSTEM,
  toPrompt,
} from './prompt.ts'

/** What the statements of an answer are worth after a reader, with its check and what it took. */
export interface Read {
  readonly judged: readonly JudgedStatement[]
  readonly found: Found
  readonly usage: Usage
}

const isDisputable = ({ rule, holding }: JudgedStatement): boolean =>
  holding?.verdict === 'contradicted' && !isFirm(rule)

const AGENT = 'reflection'
const CHECK = { id: 'reader', critical: true, trust: 0.7, look: () => NOT_APPLICABLE }
const HINT = 'Say what the evidence shows, or do what it shows was not done.'

/**
 * Asks a model, in one call, which of the statements that the rules left open the evidence of the run holds or refutes. What
 * it says counts only with words that stand in that evidence. What it holds though a rule on words refutes it is open.
 *
 * @returns `undefined` where nothing is open, nothing is there to read, or nobody could be asked: no budget, no answer
 * @throws CancelledError when the run is cancelled meanwhile
 */
export async function askReader(
  material: Material,
  { attempt, models: [model = ''] = [], onUnavailable }: ReaderOptions & { attempt: number },
  { budget, model: ask }: Pick<Ports, 'budget' | 'model'>,
): Promise<Read | undefined> {
  const judged = await judgeStatements(material)
  const open = judged
    .filter((one) => one.holding === undefined || isDisputable(one))
    .map(({ statement: { text } }) => text)
  const read = [...new Set(open)].filter(({ length }) => length <= STATEMENT_CHARS).slice(0, MAX_READ)
  if (read.length === 0) return undefined
  const evidence = toEvidence(material)
  const shown = toShown(evidence, read, EVIDENCE_CHARS)
  const controls = toControls(shown)
  if (controls.length === 0) return undefined
  const asked = mix(read, controls)
  const prompt = toPrompt(shown, asked)
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
  const holdings = await acceptAll(readings ?? [], asked, controls, evidence)
  return {
    judged: judged.map((one) => {
      const holding = holdings.get(one.statement.text)
      if (isDisputable(one)) return holding?.verdict === 'supported' ? { statement: one.statement } : one
      return one.holding !== undefined || holding === undefined ? one : { ...one, holding }
    }),
    found: { check: CHECK, finding: toFinding(holdings), isCritical: true, by: 'llm' },
    usage: answer.usage,
  }
}

/** What stands of the readings by statement, the first of each; nothing of a reader that fails a control. */
async function acceptAll(
  readings: readonly Reading[],
  asked: readonly string[],
  controls: readonly Control[],
  evidence: Evidence,
): Promise<ReadonlyMap<string, Holding>> {
  const first = new Map<string, Reading>()
  for (const reading of readings) {
    const text = asked[reading.statement - 1]
    if (text !== undefined && !first.has(text)) first.set(text, reading)
  }
  for (const { text, line, isTrue } of controls) {
    const reading = first.get(text)
    const isRead = isTrue
      ? reading && (await accept(line, reading, evidence))?.verdict === 'supported'
      : reading?.verdict !== 'held'
    if (!isRead) return new Map()
    first.delete(text)
  }
  const holdings = new Map<string, Holding>()
  for (const [text, reading] of first) {
    const holding = await accept(text, reading, evidence)
    if (holding !== undefined) holdings.set(text, holding)
  }
  return holdings
}

function toReadings({ data, text }: ModelAnswer): readonly Reading[] | undefined {
  const found = data === undefined ? findJson(text) : { value: data }
  return 'value' in found && fits(Readings, found.value) ? found.value.readings : undefined
}

function toFinding(holdings: ReadonlyMap<string, Holding>): Found['finding'] {
  const wrong = [...holdings].filter(([, { verdict }]) => verdict === 'contradicted')
  if (wrong.length === 0) return holdings.size === 0 ? NOT_APPLICABLE : pass()
  const told = wrong
    .slice(0, 3)
    .map(([text, { why }]) => `"${excerpt(text, 160)}", but the run shows: ${excerpt(why ?? '', 300)}`)
  return fail(told.join('; '), HINT)
}
