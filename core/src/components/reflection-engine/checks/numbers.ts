import { toWords } from '../../../text/index.ts'
import { type Check, excerpt, type Finding, NOT_APPLICABLE, pass } from '../check.ts'
import { isTotalOfCited } from '../cited-totals.ts'
import { agrees, type Figure, isConverted, isNear, scalesOf, toFigures, toValues } from '../figures.ts'
import type { Call, Material } from '../material.ts'
import { toLines, toListItems, toSentences, toSpelledNumbers } from '../shape.ts'

const MAX_FIGURES = 400
const MAX_SPREAD = 12
const MAX_SHORT_RESULT = 2_000
const MAX_PAIRED = 8

/**
 * Every number of the answer occurs in the task or in what a tool returned, or follows from such numbers.
 *
 * It follows when it is the same at the written precision or in another unit, when it counts what can be counted again,
 * or when its own sentence or list holds the numbers it is the sum, difference, product, ratio or mean of, or cites the rows
 * whose sum or mean it is.
 */
export const numbers: Check = {
  id: 'numbers',
  critical: true,
  trust: 0.9,
  lesson: {
    trigger: 'an answer with numbers that tools returned',
    cause: '3.3',
    advice: 'Copy every number from the tool output that it comes from.',
  },
  look(material) {
    // Where no source holds a number, those of the answer come from elsewhere and cannot be compared.
    if (material.sawOther || toValues(material.evidenceText).size === 0) return NOT_APPLICABLE
    const figures = toFigures(material.prose).slice(0, MAX_FIGURES)
    if (figures.length === 0) return NOT_APPLICABLE
    const known = toValues(material.sourceText)
    for (const value of toSpelledNumbers(toWords(material.sourceText))) known.add(value)
    const fractions = [...known].filter((value) => !Number.isInteger(value))
    const stated = (figure: Figure) => isStated(figure, known, fractions)
    let open = figures.filter((figure) => figure.value !== 0 && figure.value !== 1 && !stated(figure))
    if (open.length === 0) return pass()
    const counts = toCounts(material)
    open = open.filter(
      (figure) =>
        !(
          Number.isInteger(figure.value) &&
          (counts.has(figure.value) || countsMatches(figure, material) || countsEntries(figure, material))
        ),
    )
    if (open.length > 0)
      open = open.filter(
        (figure) =>
          !(
            isDerived(figure, material.prose, stated) ||
            isWorkedOut(figure, material.calls) ||
            isTotalOfCited(figure, material.output, material.calls)
          ),
      )
    return open.length === 0 ? pass() : describe(open, figures.length, material)
  },
}

function isStated(figure: Figure, known: ReadonlySet<number>, fractions: readonly number[]): boolean {
  const value = Math.abs(figure.value)
  if (known.has(value)) return true
  for (const scale of scalesOf(figure)) {
    if (known.has(value * scale)) return true
    if (scale === 1) {
      if (fractions.some((fraction) => agrees(figure, fraction))) return true
    } else {
      for (const source of known) if (source !== 0 && isNear(figure, source / scale)) return true
    }
  }
  if (figure.loose) for (const source of known) if (agrees(figure, source)) return true
  return isConverted(figure, known)
}

/** What anybody can count again: list items of the answer, lines and entries of each tool result, calls. */
function toCounts(material: Material): Set<number> {
  const counts = new Set<number>([toListItems(material.output).length])
  const done = material.calls.filter((call) => call.status === 'completed')
  counts.add(done.length)
  for (const block of material.output.split(/\n[ \t]*\n/)) counts.add(toListItems(block).length)
  for (const sentence of toSentences(material.prose)) {
    const commas = (sentence.match(/[,;]\s/g) ?? []).length
    if (commas > 0) for (const extra of [1, 2]) counts.add(commas + extra)
  }
  for (const call of done) {
    const lines = toLines(call.text).length
    counts.add(lines).add(Math.max(0, lines - 1)) // with and without a head line
    const [, more = '0'] = /(\d[\d,]{0,12}) (?:more|further|other) /.exec(call.text.slice(-200)) ?? []
    const left = Number(more.replaceAll(',', ''))
    for (const shown of [lines, lines - 1, call.lastLine]) counts.add(shown + left)
    addLengths(call.result, counts, 0)
  }
  return counts
}

function addLengths(value: unknown, counts: Set<number>, depth: number): void {
  if (depth > 4 || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) counts.add(value.length)
  else counts.add(Object.keys(value).length)
  for (const item of Object.values(value).slice(0, 200)) addLengths(item, counts, depth + 1)
}

/** `4 warnings` where the sources hold the word four times. */
function countsMatches(figure: Figure, { prose, sourceWords }: Material): boolean {
  const at = prose.indexOf(figure.text)
  if (at === -1) return false
  const next = toWords(prose.slice(at + figure.text.length, at + figure.text.length + 60)).slice(0, 2)
  return next.some((word) => {
    const stem = word.replace(/(?:es|s)$/, '')
    return stem.length > 2 && occurrences(sourceWords, ` ${stem}`) === figure.value
  })
}

/** `lib/ (16 files)` where listings hold sixteen entries below it. */
function countsEntries(figure: Figure, { output, calls }: Material): boolean {
  const lines = toLines(output).filter((line) => line.includes(figure.text))
  const names = lines
    .slice(0, MAX_SPREAD)
    .flatMap((line) => line.slice(0, 400).match(/[\w@.+-]{1,80}(?:\/[\w@.+-]{1,80}){0,20}\/?/g) ?? [])
    .filter((name) => /[/.]/.test(name))
  if (names.length === 0) return false
  const entries = new Set<string>()
  for (const call of calls)
    if (call.status === 'completed') for (const entry of toLines(call.text)) entries.add(entry.trim())
  return [...new Set(names)].slice(0, MAX_SPREAD).some((name) => {
    const folder = name.replace(/\/?$/, '/')
    const below = [...entries]
      .map((entry) => entry.split(/\s|:/, 1)[0] ?? '')
      .filter((path) => path.startsWith(folder) && path !== folder)
    return [...new Set(below)].filter((path) => !path.endsWith('/')).length === figure.value
  })
}

function occurrences(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count++
  return count
}

/** Whether the sentence or the list around a figure holds the numbers that give it. */
function isDerived(figure: Figure, prose: string, stated: (figure: Figure) => boolean): boolean {
  for (const sentence of toSentences(prose)) {
    if (!sentence.includes(figure.text)) continue
    const bases = toFigures(sentence)
      .filter((other) => other.text !== figure.text && stated(other))
      .slice(0, MAX_SPREAD)
    if (bases.some((a, i) => bases.some((b, j) => i !== j && follows(figure, a.value, b.value)))) return true
    if (bases.length > 2 && followsFromAll(figure, bases)) return true
  }
  const items = toListItems(prose)
  if (items.length < 2) return false
  const lasts = items.map((item) => toFigures(item).filter(stated).at(-1)).filter((item) => item !== undefined)
  return lasts.length === items.length && followsFromAll(figure, lasts)
}

/** Whether two numbers of one short tool result give it: the gain between two measurements. */
function isWorkedOut(figure: Figure, calls: readonly Call[]): boolean {
  return calls.some(({ status, text }) => {
    if (status !== 'completed' || text.length > MAX_SHORT_RESULT) return false
    const values = [...toValues(text)]
    return values.length <= MAX_PAIRED && values.some((a) => values.some((b) => a !== b && isGain(figure, a, b)))
  })
}

function isGain(figure: Figure, a: number, b: number): boolean {
  const results = figure.unit === '%' ? [(100 * a) / b, (100 * (a - b)) / b] : [a - b, a / b]
  return results.some((result) => Number.isFinite(result) && agrees(figure, result))
}

function follows(figure: Figure, a: number, b: number): boolean {
  const results = [a + b, a - b, a * b, b === 0 ? Number.NaN : a / b, (a + b) / 2]
  if (figure.unit === '%' || figure.unit === 'percent') results.push((100 * a) / b, (100 * (a - b)) / b, (a * b) / 100)
  return results.some((result) => Number.isFinite(result) && agrees(figure, result))
}

function followsFromAll(figure: Figure, bases: readonly Figure[]): boolean {
  const total = bases.reduce((sum, { value }) => sum + value, 0)
  return agrees(figure, total) || agrees(figure, total / bases.length)
}

function describe(open: readonly Figure[], total: number, material: Material): Finding {
  const wrong = [...new Set(open.map(({ text }) => text))].slice(0, 5).join(', ')
  const returned = nearestCalls(open, material)
    .map(
      (call) => `${call.tool} returned ${excerpt(call.text, 160)} for ${excerpt(JSON.stringify(call.args) ?? '', 80)}`,
    )
    .join('; ')
  return {
    result: 'fail',
    evidence: `${wrong} occurs neither in the task nor in any tool output${returned === '' ? '' : `; ${returned}`}`,
    hint:
      returned === ''
        ? `Take out ${wrong}, or say where it comes from.`
        : `Do not say ${wrong}: ${returned}. Use what the tools returned.`,
    // One odd number among many is a blemish, not a wrong answer.
    critical: open.length * 10 > total,
  }
}

/** The results that the wrong numbers were most likely meant to be: bare numbers that the answer does not hold come first. */
function nearestCalls(open: readonly Figure[], { calls, prose }: Material): Call[] {
  const said = toValues(prose)
  const wrong = open.map(({ value }) => Math.abs(value))
  return calls
    .filter((call) => call.status === 'completed')
    .map((call) => {
      const missing = [...toValues(call.text.slice(0, 20_000))].filter((value) => !said.has(value))
      const distance = Math.min(
        ...missing.map((value) => Math.min(...wrong.map((other) => Math.abs(value - other) / (value + other + 1)))),
      )
      return {
        call,
        rank: missing.length === 0 ? Number.POSITIVE_INFINITY : distance + Math.min(1, call.text.length / 2000),
      }
    })
    .filter(({ rank }) => Number.isFinite(rank))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, 2)
    .map(({ call }) => call)
}
