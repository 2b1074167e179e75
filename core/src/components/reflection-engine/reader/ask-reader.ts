import { textMessage } from '../../../contracts/model/message-text.ts'
import type { ModelAnswer } from '../../../contracts/model/model.ts'
import type { Ports } from '../../../contracts/run/run-context.ts'
import type { JsonSchema } from '../../../contracts/schema.ts'
import { SvcError } from '../../../errors.ts'
import { estimateTokens, findJson } from '../../../text/index.ts'
import { fits } from '../../../validate.ts'
import { type Found, type Holding, NOT_APPLICABLE } from '../check.ts'
import type { Material, ReaderOptions } from '../material.ts'
import { findOf, isFirm, type JudgedStatement, judgeStatements } from '../rules/judge-statements.ts'
import { withHeading } from '../statements/to-statements.ts'
import { accept } from './accept.ts'
import { evidenceOf, toShown } from './evidence.ts'
import { OUTPUT_TOKENS, pickRead, Readings, SYSTEM, toControls, toPrompt } from './prompt.ts'

const CHECK = { id: 'reader', critical: true, trust: 0.7, look: () => NOT_APPLICABLE }
const HINT = 'Say what the evidence shows, or do what it shows was not done.'

/** Whether a rule on words refutes a statement, which a reader may know better. */
const isDisputable = ({ rule, holding }: JudgedStatement): boolean =>
  holding?.verdict === 'contradicted' && !isFirm(rule)

/**
 * Asks a model, in one call, which of the statements that the rules left open the evidence of the run holds or refutes. What
 * it says counts only with words that stand in that evidence. What it holds though a rule on words refutes it is open.
 *
 * @returns the statements as judged then, with the reader's check and what it took; `undefined` where nothing is open, nothing is there to read, or nobody could be asked: no budget, no answer
 * @throws CancelledError when the run is cancelled meanwhile
 */
export async function askReader(
  material: Material,
  { attempt, models: [model = ''] = [], onUnavailable }: ReaderOptions & { attempt: number },
  { budget, model: ask }: Pick<Ports, 'budget' | 'model'>,
) {
  const judged = await judgeStatements(material)
  const open = judged.filter((one) => one.holding === undefined || isDisputable(one))
  const statements = new Map(open.map(({ statement }) => [withHeading(statement), statement]))
  const asked = pickRead(statements.keys())
  const evidence = evidenceOf(material)
  const shown = toShown(evidence, asked)
  const controls = toControls(shown)
  if (asked.length === 0 || controls.length === 0) return undefined
  // At fixed places between the statements, neither of them at an end where there is room.
  for (const [index, { text }] of controls.entries())
    asked.splice(Math.ceil(((index + 1) * (asked.length + 1)) / 3) - 1, 0, text)
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
      agentId: 'reflection',
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
  const json = answer.data === undefined ? findJson(answer.text) : { value: answer.data }
  const readings = 'value' in json && fits(Readings, json.value) ? json.value.readings : undefined
  if (readings === undefined) onUnavailable?.('the reader gave no answer that could be read')
  const holdings = new Map<string, Holding>()
  let isBlind = false
  for (const [index, text] of asked.entries()) {
    // The first of each counts, and nothing of a reader that fails a control.
    const reading = readings?.find(({ statement }) => statement === index + 1)
    const control = controls.find((one) => one.text === text)
    const holding = reading && (await accept(statements.get(text) ?? { text: control?.line ?? '' }, reading, evidence))
    if (control === undefined && holding !== undefined) holdings.set(text, holding)
    if (control?.isTrue ? holding?.verdict !== 'supported' : control && reading?.verdict === 'held') isBlind = true
  }
  const after = judged.map((one): JudgedStatement => {
    const { statement } = one
    const holding = isBlind ? undefined : holdings.get(withHeading(statement))
    if (isDisputable(one)) return holding?.verdict === 'supported' ? { statement } : one
    return one.holding !== undefined || holding === undefined ? one : { ...one, rule: CHECK.id, holding }
  })
  const found: Found = { ...findOf(CHECK.id, after), hint: HINT, check: CHECK, critical: true, by: 'llm' }
  return { judged: after, found, usage: answer.usage }
}
