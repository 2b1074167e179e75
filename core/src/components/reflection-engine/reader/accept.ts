import { workOut } from '../../../text/arithmetic/work-out.ts'
import { evidenceOf, type Holding } from '../rules/rule.ts'
import { isNear } from '../figures/figures.ts'
import { LEFT_OUT } from '../told/misquoted.ts'
import { toTokens } from '../evidence/tokens.ts'
import type { EvidenceItem } from './evidence.ts'
import type { Reading } from './prompt.ts'

interface Quote {
  readonly item: EvidenceItem
  readonly words: string
  /** The lines in which the words stand, with what was called. */
  readonly around: string
  /** Stands only in what the agent itself wrote. */
  readonly isOwn: boolean
}

const MAX_QUOTES = 60
const LONGEST_QUOTE = 600
/** Figures that a working may use without a quotation: of time, of scale, of common units. */
const CONSTANTS: ReadonlySet<number> = new Set([
  1, 2, 7, 10, 12, 24, 30, 52, 60, 100, 365, 1000, 1024, 3600, 86_400, 1e6, 1_048_576, 1e9, 1.8, 5, 9, 32, 2.54, 0.3048,
  1.609344, 0.45359237, 453.59237, 28.349523,
])

/**
 * What of a reading stands: its words must stand in the piece that it names, and speak of the statement.
 *
 * Held needs every figure of the statement in the words, in the task, as the result of a working over such figures, or as
 * the number of the quotations; and a call that went through where only the agent's own words hold it. Refuted needs words
 * that do not just repeat the statement.
 */
export async function accept(
  statement: string,
  { verdict, quotes: given = [], working = [] }: Reading,
  items: readonly EvidenceItem[],
): Promise<Holding | undefined> {
  if (verdict === 'open' || given.length === 0 || given.length > MAX_QUOTES) return undefined
  const quotes = given.map((quote) => find(quote, items))
  if (!quotes.every((quote) => quote !== undefined)) return undefined
  const said = toTokens(statement)
  const quoted = new Set(quotes.flatMap(({ words }) => toTokens(words)))
  const around = new Set(quotes.flatMap((quote) => toTokens(quote.around)))
  if (!said.some((token) => around.has(token))) return undefined
  const found = {
    evidence: quotes.flatMap(({ item: { call } }) => (call === undefined ? [] : [evidenceOf(call)])),
    kind: 'other' as const,
    why: quotes.map(({ words }) => words.trim()).join(' … '),
  }
  if (verdict === 'refuted')
    return said.every((token) => quoted.has(token)) ? undefined : { verdict: 'contradicted', ...found }
  if (quotes.some((quote) => quote.isOwn && !isDeed(quote, said))) return undefined
  const task = items[0]?.text ?? ''
  const known = new Set([...quoted, ...toTokens(task)].map(Number).filter(Number.isFinite))
  known.add(new Set(quotes.map(({ item, around: place, words }) => `${items.indexOf(item)} ${place} ${words}`)).size)
  for (const equation of working.slice(0, MAX_QUOTES)) {
    const result = await toResult(equation, known)
    if (result !== undefined) known.add(result)
  }
  const isKnown = (token: string): boolean => quoted.has(token) || !/^\d/.test(token) || follows(token, known)
  return said.every(isKnown) ? { verdict: 'supported', ...found } : undefined
}

function find(
  { evidence, words }: { evidence: number; words: string },
  items: readonly EvidenceItem[],
): Quote | undefined {
  const item = items[evidence - 1]
  const parts = words.split(LEFT_OUT).map(plain).filter(Boolean)
  if (item === undefined || words.length > LONGEST_QUOTE || parts.length === 0) return undefined
  const [text, head] = [plain(item.text), plain(item.head)]
  const isIn = (body: string): boolean => parts.every((part) => body.includes(part))
  if (!isIn(text) && !isIn(`${head} ${text}`)) return undefined
  const lines = item.text.split('\n').filter((line) => parts.some((part) => plain(line).includes(part)))
  return { item, words, around: `${item.head}\n${lines.join('\n')}\n${words}`, isOwn: item.call?.acts === true && !isIn(text) }
}

/** What an agent wrote is evidence of the writing: the call went through, and the statement names what it was done to. */
function isDeed({ item: { call } }: Quote, said: readonly string[]): boolean {
  if (call?.succeeded !== true) return false
  if (call.runs || typeof call.args !== 'object' || call.args === null) return true
  const names = Object.values(call.args).filter((value) => typeof value === 'string' && value.length < 80)
  const named = new Set(names.flatMap((name) => toTokens(String(name))))
  return said.some((token) => named.has(token))
}

/** The result of an equation that is right and works with known figures alone. */
async function toResult(equation: string, known: ReadonlySet<number>): Promise<number | undefined> {
  const [left = '', right = '', ...more] = equation.replaceAll('×', '*').replaceAll('÷', '/').split(/[=≈]/)
  if (more.length > 0 || left.length > 400 || !/^\s*-?\d+(?:\.\d+)?\s*%?\s*$/.test(right)) return undefined
  const operands = (left.match(/\d+(?:\.\d+)?/g) ?? []).map(Number)
  if (operands.length < 2 || !operands.every((value) => known.has(value) || CONSTANTS.has(value))) return undefined
  if (!operands.some((value) => known.has(value))) return undefined
  const worked = await workOut(left)
  const result = Number(right.replace('%', ''))
  const decimals = /\.(\d+)/.exec(right)?.[1]?.length ?? 0
  if (worked.fault !== undefined || !isNear({ value: result, decimals }, Number(worked.text))) return undefined
  return Number(worked.text)
}

/** Whether a number is a known one, rounded at its last digit. */
function follows(token: string, known: ReadonlySet<number>): boolean {
  const value = Number(token)
  const decimals = token.split('.')[1]?.length ?? 0
  if (known.has(value)) return true
  return [...known].some((one) => !Number.isInteger(one) && isNear({ value, decimals }, one))
}

const plain = (text: string): string =>
  text
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
