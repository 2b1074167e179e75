import { type Call, toPlainText } from '../../../text/calls/call.ts'
import { excerpt } from '../../../text/index.ts'
import { contradict, type Holding, support } from '../check.ts'
import { namesOf, targetsOf } from '../evidence/deeds.ts'
import { isNear, saysNumber, toTokens, toValues } from '../figures/figures.ts'
import { readValue, toEquations } from '../rules/arithmetic.ts'
import { isAgainstLabels } from '../rules/values.ts'
import { isContent, type Statement } from '../statements/to-statements.ts'
import { DENIES, KINDS } from '../told/language.ts'
import { type Evidence, type EvidenceItem, isIn, toPlain } from './evidence.ts'
import type { Reading } from './prompt.ts'

type Quote = { readonly item: EvidenceItem; readonly words: string }

const MAX_QUOTES = 60
const MAX_WORKINGS = 40
const LONGEST_QUOTE = 8_000
/** Figures that a working may use without a quotation: of time, of scale, of common units. */
const CONSTANTS: ReadonlySet<number> = new Set([
  1, 2, 7, 10, 12, 24, 30, 52, 60, 100, 365, 1000, 1024, 3600, 86_400, 1e6, 1_048_576, 1e9, 1.8, 5, 9, 32, 2.54, 0.3048,
  3.28084, 1.609344, 1.852, 0.45359237, 453.59237, 28.349523,
])
const FAILURE =
  /: (?:failed|denied)\b|exit code [1-9]|\bnot ok\b|\bFAIL(?:ED|URE)?\b|\b(?:failed|denied|queued|refused|rejected)\b/
/** Months by name: "4 June 2026" shows `2026-06-04`. */
const MONTHS = 'jan,feb|fév,mar|mär,apr|avr,ma[iy],jun|juin,jul|juil,aug|aoû,sep,o[ck]t,nov,d[eé][cz]'
  .split(',')
  .map((name) => new RegExp(`(?<!\\p{L})(?:${name})`, 'iu'))
const CODE = /`[^`\n]{2,80}`/g
const NAME = /\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)+/gu
const IS_NOTHING = /: (?:false|null|0)$/

/**
 * What of a reading stands: its words must stand in the pieces that it names, and speak of the statement.
 *
 * Held needs every figure of the statement in these words, in the task, as the result of a right working over such figures, or
 * as a number of quotations; and no word of a failure that the statement does not tell. Refuted needs words that do not just
 * repeat the statement. What the agent itself wrote shows a deed at most.
 */
export async function accept(
  one: Pick<Statement, 'text' | 'block'>,
  { verdict, quotes: given = [], working = [] }: Reading,
  evidence: Evidence,
): Promise<Holding | undefined> {
  if (verdict === 'open' || given.length === 0 || given.length > MAX_QUOTES) return undefined
  const { text: statement, block = [] } = one
  // Of a leaf without the places in lists that are part of its path.
  const told = statement.replace(/^[\w.]{1,200}(?=: )/, (path) => path.replace(/\.\d+/g, ''))
  const quotes: Quote[] = []
  for (const { evidence: number, words } of given) {
    const item = evidence.items[number - 1]
    if (item === undefined || words.length > LONGEST_QUOTE || !isIn(words, item.plain)) return undefined
    // What it says of content is what others say.
    const showing = toShowing({ item, words }, isContent(one) ? '' : told, evidence)
    if (showing !== '') quotes.push({ item, words: showing })
  }
  if (quotes.length === 0) return undefined
  const said = toTokens(told)
  const words = quotes.map((quote) => quote.words).join('\n')
  const text = `${words}\n${evidence.items[0]?.text ?? ''}`
  const known = await toKnown(text, quotes, working)
  const shown = new Set(toTokens(text))
  if (/\d{4}-\d{2}/.test(told))
    for (const [index, month] of MONTHS.entries()) if (month.test(text)) shown.add(`${index + 1}`)
  const isFigure = (token: string): boolean => /^\d/.test(token)
  const isShown = (token: string): boolean => shown.has(token) || (isFigure(token) && saysNumber(token, known))
  const heads = new Set(quotes.flatMap(({ item }) => toTokens(item.head)))
  const isNamed = (token: string): boolean => isShown(token) || heads.has(token)
  // A statement in words of its own, or in another language, shares none with the whole evidence.
  const isForeign = said.every((token) => isFigure(token) || !evidence.tokens.has(token))
  if (!isForeign && !said.some(isNamed)) return undefined
  const isHeld = verdict === 'held'
  const calls = quotes.flatMap(({ item: { call } }) => call ?? [])
  // A line of the evidence itself is the one or the other.
  if (!isIn(told, toPlain(words)) && isAgainstLabels(told, isHeld, words, calls, evidence.fields)) return undefined
  if (isHeld) {
    const isDenial = DENIES.test(statement) || IS_NOTHING.test(statement)
    const isWhole = quotes.some(({ item }) => block.every((line) => isIn(line, item.plain)))
    if (!isWhole || said.some((token) => isFigure(token) && !isShown(token))) return undefined
    if (!isDenial && (FAILURE.test(words) || !isDone(told, quotes))) return undefined
    if (isMisnamed(told, words, (token) => isNamed(token) || evidence.shown.has(token))) return undefined
    return support('other', calls)
  }
  // Words that say the statement again, and no figure that it does not have, do not refute it.
  const quoted = toTokens(words)
  const isRepeated =
    said.every((token) => quoted.includes(token)) && quoted.every((token) => !isFigure(token) || said.includes(token))
  const shows = excerpt(quotes.map((quote) => quote.words.trim()).join(' … '), 300)
  return isRepeated ? undefined : contradict('other', `the run shows: ${shows}`, ...calls)
}

/** Whether a call that is quoted did what a text tells of, as its verb means it. */
const isDone = (told: string, quotes: readonly Quote[]): boolean =>
  KINDS.every(([says, did]) => !says.test(told) || quotes.some((quote) => isOfKind(did, told, quote)))

function isOfKind(did: RegExp, told: string, { item: { call }, words }: Quote): boolean {
  if (call === undefined) return false
  if (!call.acts) return did.test(words)
  if (!call.writesFile) return did.test([call.tool, call.command, ...targetsOf(call), call.text].join(' '))
  // An edit takes away, or moves, what it names in the file.
  const names = toTokens(call.path ?? '')
  const written = toTokens(toPlainText(call.args)).filter((token) => !names.includes(token))
  return did.test(call.tool) || toTokens(told).some((token) => written.includes(token))
}

/**
 * What of a quotation shows something. What an agent wrote into a call shows only that it was written: the call acted and the
 * statement names what it was done to, or it did not go through. Else only what came back counts, and of that no line that the
 * agent wrote here or before.
 */
function toShowing({ item, words }: Quote, statement: string, { items }: Evidence): string {
  const { call, plain, head } = item
  if (call === undefined) return words
  const writers = items.slice(0, items.indexOf(item) + 1).filter((one) => one === item || one.call?.acts)
  const isOwn = (line: string): boolean => {
    const bare = toPlain(line.replace(/^\s*\d{1,7}[\t:]/, ''))
    return bare === '' || writers.some(({ own }) => isIn(bare, own))
  }
  if (call.acts && (call.missed ? !isOwn(words) : !call.runs && isNamedIn(statement, call))) return words
  const back = isIn(words, plain.slice(toPlain(head).length)) ? words : toEnd(words, call)
  return back
    .split('\n')
    .filter((line) => !isOwn(line))
    .join('\n')
}

/** What a quoted head says that the agent did not make up: how the call ended, and the path where that was well. */
const toEnd = (words: string, { path = '', status }: Call): string =>
  [status === 'completed' && words.includes(path) ? path : '', words.split('}: ')[1] ?? ''].join(' ').trim()

/** Whether a statement names the file that a call is about, or has a word of its short arguments. */
const isNamedIn = (statement: string, call: Call): boolean =>
  call.path === undefined
    ? namesOf(call).some((token) => toTokens(statement).includes(token))
    : toPlain(statement).includes(toPlain(call.path.split('/').at(-1) ?? ''))

/** Whether a statement names something unknown: code, or words in a row with capitals where the quotation has others. */
function isMisnamed(statement: string, words: string, known: (token: string) => boolean): boolean {
  const said = toTokens(statement)
  const isOther = (words.match(NAME) ?? []).some((name) => !toTokens(name).some((token) => said.includes(token)))
  const names = [...(statement.match(CODE) ?? []), ...((isOther && statement.match(NAME)) || [])]
  return names.flatMap(toTokens).some((token) => !known(token))
}

/** The numbers of a text, the numbers of quotations and of their lines, and what right workings over them give. */
async function toKnown(text: string, quotes: readonly Quote[], working: readonly string[]): Promise<Set<number>> {
  const pieces = [...new Set(quotes.map(({ item }) => item))]
  const groups = [quotes, ...pieces.map((piece) => quotes.filter(({ item }) => item === piece))]
  const counts = groups.flatMap((own) => [own.length, own.flatMap(({ words }) => words.split('\n')).length])
  const known = new Set([...toTokens(text).map(Number), ...toValues(text), pieces.length, ...counts])
  for (const { expression, figure } of working.slice(0, MAX_WORKINGS).flatMap(toEquations)) {
    const operands = (expression.match(/\d+(?:\.\d+)?/g) ?? []).map(Number)
    const isKnown = operands.length > 1 && operands.every((one) => known.has(one) || CONSTANTS.has(one))
    const value = isKnown ? await readValue(expression) : undefined
    if (value !== undefined && figure.readings.some((reading) => isNear(reading, value))) known.add(value)
  }
  return known
}
