import { workOut } from '../../../text/arithmetic/work-out.ts'
import { toTokens } from '../evidence/tokens.ts'
import { agree, toDates } from '../figures/dates.ts'
import { isNear, toValues } from '../figures/figures.ts'
import { evidenceOf, type Holding } from '../rules/rule.ts'
import { DENIES } from '../told/language.ts'
import { LEFT_OUT } from '../told/misquoted.ts'
import type { EvidenceItem } from './evidence.ts'
import type { Reading } from './prompt.ts'

const why = (r: string): undefined => {
  ;(globalThis as any).REASON = r
  return undefined
}
interface Quote {
  readonly item: EvidenceItem
  readonly words: string
  /** The lines in which the words stand, with what was called. */
  readonly around: string
  /** Stands only in what the agent itself wrote. */
  readonly isOwn: boolean
}

const MAX_QUOTES = 60
const MAX_WORKINGS = 40
const LONGEST_QUOTE = 8_000
/** Figures that a working may use without a quotation: of time, of scale, of common units. */
const CONSTANTS: ReadonlySet<number> = new Set([
  1, 2, 7, 10, 12, 24, 30, 52, 60, 100, 365, 1000, 1024, 3600, 86_400, 1e6, 1_048_576, 1e9, 1.8, 5, 9, 32, 2.54, 0.3048,
  3.28084, 1.609344, 1.852, 0.45359237, 453.59237, 28.349523,
])
/** A call or a line that tells of a failure. */
const FAILURE = /: (?:failed|denied)\b|exit code [1-9]|\bnot ok\b|\bFAIL(?:ED|URE)?\b|\b(?:failed|denied|queued|refused|rejected)\b/

export async function accept(
  statement: string,
  { verdict, quotes: given = [], working = [] }: Reading,
  items: readonly EvidenceItem[],
): Promise<Holding | undefined> {
  if (verdict === 'open' || given.length === 0 || given.length > MAX_QUOTES) return why('count')
  const quotes = given.map((quote) => find(quote, items))
  if (!quotes.every((quote) => quote !== undefined)) return why('verbatim ' + JSON.stringify(given[quotes.indexOf(undefined)]))
  const said = toTokens(toSaid(statement))
  const shown = quotes.filter((quote) => !quote.isOwn || isDeed(quote, said))
  if (shown.length === 0) return why('own')
  const words = shown.map((quote) => quote.words).join('\n')
  const around = shown.map((quote) => quote.around).join('\n')
  const task = items[0]?.text ?? ''
  const near = new Set(toTokens(`${around}\n${task}`))
  const shares = said.some((token) => near.has(token))
  const known = await toKnown(statement, words, task, shown, working)
  const missing = findMissing(statement, `${words}\n${task}`, known)
  const fails = FAILURE.test(words) && !DENIES.test(statement)
  const holding = {
    kind: 'other' as const,
    evidence: shown.flatMap(({ item: { call } }) => (call === undefined ? [] : [evidenceOf(call)])),
    why: shown.map((quote) => quote.words.trim()).join(' … '),
  }
  if (verdict === 'held') {
    if (missing.length > 0) return why(`figures ${missing}  WORK ${working.join('; ')}`)
    if (!shares && process.env.NOSUBJECT === undefined) return why('subject')
    if (fails) return why('fails')
    return { verdict: 'supported', ...holding }
  }
  const quoted = new Set(toTokens(words))
  if (said.every((token) => quoted.has(token))) return why('repeats')
  if (missing.length > 0 && /\d/.test(words)) return { verdict: 'contradicted', ...holding }
  if (fails) return { verdict: 'contradicted', ...holding }
  if (process.env.STRICT) return why('no conflict')
  if (!shares) return why('subject')
  if (process.env.FIG && /\d/.test(statement)) return why('no figure conflict')
  return { verdict: 'contradicted', ...holding }
}

function find({ evidence, words }: { evidence: number; words: string }, items: readonly EvidenceItem[]): Quote | undefined {
  const item = items[evidence - 1]
  if (item === undefined || words.length > LONGEST_QUOTE) return undefined
  const parts = words.split(LEFT_OUT).map(plain).filter(Boolean)
  if (parts.length === 0) return undefined
  const [text, head] = [plain(item.text), plain(item.head)]
  const isIn = (body: string): boolean => parts.every((part) => body.includes(part))
  if (!isIn(text) && !isIn(`${head} ${text}`)) return undefined
  const lines = item.text.split('\n').filter((line) => parts.some((part) => plain(line).includes(part)))
  const isOwn = item.call?.acts === true && !isIn(text)
  return { item, words, around: `${item.head}\n${lines.join('\n')}\n${words}`, isOwn }
}

/** What an agent wrote is evidence of the writing, where the call went through and the statement names what it was done to; or that it did not. */
function isDeed({ item: { call } }: Quote, said: readonly string[]): boolean {
  if (call === undefined || call.missed || call.runs) return true
  if (typeof call.args !== 'object' || call.args === null) return true
  const names = Object.values(call.args).filter((value) => typeof value === 'string' && value.length < 80)
  const named = new Set(names.flatMap((name) => toTokens(String(name))))
  return said.some((token) => named.has(token))
}

/** Every number that was quoted or asked for, that a right working gives, or that is how many lines were quoted or things are listed. */
async function toKnown(statement: string, words: string, task: string, quotes: readonly Quote[], working: readonly string[]): Promise<Set<number>> {
  const text = `${words}\n${task}`
  const known = new Set([...toTokens(text).map(Number).filter(Number.isFinite), ...toValues(text)])
  const lines = new Set(quotes.flatMap((quote) => quote.words.split('\n').map((line) => `${quote.item.head} ${line} ${quote.words}`))).size
  known.add(lines)
  known.add((statement.match(/[,;、]\s|\s(?:and|und|et)\s/g) ?? []).length + 1)
  for (const equation of working.slice(0, MAX_WORKINGS)) {
    const result = await toResult(equation, known, lines)
    if (result !== undefined) known.add(result)
  }
  return known
}

/** The result of an equation that is right and works with known figures alone; ones count lines. */
async function toResult(equation: string, known: ReadonlySet<number>, lines: number): Promise<number | undefined> {
  const [left = '', right = '', ...more] = equation.replaceAll('×', '*').replaceAll('÷', '/').split(/[=≈]/)
  if (more.length > 0 || left.length > 400 || !/^\s*-?\d+(?:\.\d+)?\s*%?\s*$/.test(right)) return undefined
  const operands = (left.match(/\d+(?:\.\d+)?/g) ?? []).map(Number)
  const counts = /^[\s1+]+$/.test(left) && operands.length <= lines
  if (operands.length < 2 || !operands.every((value) => known.has(value) || CONSTANTS.has(value))) return undefined
  if (!counts && !operands.some((value) => known.has(value))) return undefined
  const worked = await workOut(left)
  const result = Number(right.replace('%', ''))
  const decimals = /\.(\d+)/.exec(right)?.[1]?.length ?? 0
  if (worked.fault !== undefined || !isNear({ value: result, decimals }, Number(worked.text))) return undefined
  return Number(worked.text)
}

/** A statement without the places in lists that are part of the path of a leaf. */
const toSaid = (statement: string): string => statement.replace(/^[\w.]{1,200}(?=: )/, (path) => path.replace(/\.\d+/g, ''))

/** The figures and dates of a statement that are not known. */
function findMissing(statement: string, text: string, known: ReadonlySet<number>): string[] {
  const dates = toDates(statement)
  const shown = toDates(text)
  let rest = toSaid(statement)
  for (const date of dates) if (shown.some((other) => agree(date, other))) rest = rest.replace(date.text, ' ')
  const versions = new Set(toTokens(text))
  return toTokens(rest).filter((token) => /^\d/.test(token) && !versions.has(token) && !follows(token, known))
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
