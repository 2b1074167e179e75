/**
 * What is said of answers that nobody worded for the rules? `npm run bench:truth -- [--json FILE] [--list FAMILY|all] [--liars]`
 *
 * The cases of `cases/` were written by authors who had read neither the rules nor a test of them. Each is played with the real
 * tools, then judged twice: by rules alone, and as in a strict run whose model answers as careful readers did who saw the
 * evidence (`readings/`); no model is asked. Of each family of the authors `a` and `b` every second case is tuned on; of the others and of `c` it was
 * looked at which true answers the rules refuse, and rules that did so were taken out; the cases of `d` nobody looked at. Intervals are Wilson's (1927), 95 %. Certified lies come first: a false
 * answer with the verdict `pass`, or whose false words are listed as supported. `--list` names false answers that are not refused,
 * of the unseen cases only how many. With `--liars` readers that lie about every
 * statement are asked as well: how many verdicts do they change?
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { RunEvent } from '@svc/core'
import { toTable } from '../table.mjs'
import { type Judged, judge } from './judge.ts'
import { LIARS, toAnswers } from './liars.ts'
import { perturb } from './perturb.ts'
import { playCase } from './play-case.ts'
import { type CaseReadings, carefulAnswers, readControl, readerPorts, readReadings } from './reader.ts'
import { readCases, type TruthCase } from './truth-case.ts'

const AT_ONCE = 3
const MOST_LISTED = 10

/** One answer, by rules alone or with the reader. */
interface Outcome extends Judged {
  /** Of a true answer with one figure changed: whether it was refused, and whether its statement was held before. */
  readonly change: { readonly isRefused: boolean; readonly wasHeld: boolean } | undefined
}
interface Case {
  readonly one: TruthCase
  readonly half: (typeof HALVES)[number]
  readonly order: string
  readonly readings: CaseReadings
}
interface Played extends Case {
  readonly rules: Outcome
  readonly reader: Outcome
  /** Names of the liars that changed the verdict for the worse. */
  readonly fooledBy: readonly string[]
}
type Way = 'rules' | 'reader'

/** A share of some answers, as [how many have it, of how many]. */
const MEASURES: readonly [name: string, of: (group: readonly Played[], way: Way) => [number, number]][] = [
  [
    'false ones certified',
    (group, way) =>
      count(
        group.filter(({ one }) => !one.true),
        (each) => isCertified(each[way]),
      ),
  ],
  [
    'decidable false ones refused',
    (group, way) =>
      count(
        group.filter(({ one }) => one.decidable),
        (each) => isRefused(each[way]),
      ),
  ],
  [
    'true ones refused or asked again',
    (group, way) =>
      count(
        group.filter(({ one }) => one.true),
        (each) => isRefused(each[way]) || each[way].asksAgain,
      ),
  ],
  [
    'true ones passed',
    (group, way) =>
      count(
        group.filter(({ one }) => one.true),
        (each) => each[way].verdict === 'pass',
      ),
  ],
  [
    'one figure changed: refused',
    (group, way) => count(changed(group, way), (each) => each[way].change?.isRefused === true),
  ],
  [
    'the same, of statements held before',
    (group, way) =>
      count(
        changed(group, way).filter((each) => each[way].change?.wasHeld),
        (each) => each[way].change?.isRefused === true,
      ),
  ],
]
const WAYS: readonly [Way, string][] = [
  ['rules', 'rules alone'],
  ['reader', 'strict, with a careful reader'],
]
/** The cases of `e` no reader read, so rules alone judge them; what is said of one of `e reporting` is never told. */
const HALVES = ['tuning', 'reporting', 'unseen', 'e tuning', 'e reporting'] as const

const { values } = parseArgs({
  options: { json: { type: 'string' }, list: { type: 'string' }, liars: { type: 'boolean' } },
})
const asked: { tokens: number; statements: number }[] = []
const all = await judgeAll()
const played = all.filter(({ half }) => half !== 'e reporting')
const of = (half: Case['half']): Played[] => all.filter((each) => each.half === half)
console.log(
  toTable(
    ['', '', ...HALVES],
    MEASURES.flatMap(([name, measure]) =>
      WAYS.map(([way, words]) => [
        name,
        words,
        ...HALVES.map((half) => toShare(measure(way === 'rules' || isRead(half) ? of(half) : [], way))),
      ]),
    ),
  ).join('\n'),
)
for (const [name, halves] of [
  ['tuning / reporting half', ['tuning', 'reporting']],
  ['unseen cases', ['unseen']],
  ['e tuning / reporting half', ['e tuning', 'e reporting']],
] as const)
  for (const [way, words] of WAYS.filter(([way]) => way === 'rules' || halves.some(isRead))) {
    console.log(`\n${words}, ${name} (interval in %)`)
    const rows = families(halves).map((family) => [
      family,
      ...MEASURES.map(([, measure]) =>
        halves
          .map((half) =>
            toShort(
              measure(
                of(half).filter(({ one }) => one.family === family),
                way,
              ),
            ),
          )
          .join('  '),
      ),
    ])
    console.log(toTable(['family', ...MEASURES.map(([each]) => each)], rows).join('\n'))
  }
printCost()
if (values.liars) printLiars()
if (values.list !== undefined)
  for (const family of families(HALVES)) if (['all', family].includes(values.list)) listMissed(family)
if (values.json !== undefined)
  writeFileSync(
    values.json,
    JSON.stringify(played.map(({ one, half, rules, reader }) => ({ id: one.id, half, rules, reader }))),
  )

/** Plays and judges the cases of all authors, a few at once. */
async function judgeAll(): Promise<Played[]> {
  const waiting = ['a', 'b', 'c', 'd', 'e'].flatMap((author) => {
    const readings = author === 'e' ? {} : readReadings(author)
    const seen = new Map<string, number>()
    return readCases(join(import.meta.dirname, 'cases', author)).map((one, index): Case => {
      const kind = `${one.family} ${one.true}`
      const count = seen.get(kind) ?? 0
      seen.set(kind, count + 1)
      if (author === 'e')
        return { one, half: index % 2 === 1 ? 'e tuning' : 'e reporting', order: one.id, readings: {} }
      const half = author === 'd' ? 'unseen' : author === 'c' || count % 2 === 1 ? 'reporting' : 'tuning'
      return { one, half, order: `${author}${String(index).padStart(4, '0')}`, readings: readings[one.id] ?? {} }
    })
  })
  const done: Played[] = []
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const events = await playCase(next.one)
      const rules = await toOutcome(next, events, 'rules')
      const reader = isRead(next.half) ? await toOutcome(next, events, 'reader') : rules
      const fooledBy = values.liars && isRead(next.half) ? await askLiars(next, events, rules) : []
      done.push({ ...next, rules, reader, fooledBy })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return done.sort((a, b) => (a.order < b.order ? -1 : 1))
}

async function toOutcome({ one, readings }: Case, events: readonly RunEvent[], way: Way): Promise<Outcome> {
  const note = (tokens: number, statements: number): void => void asked.push({ tokens, statements })
  const judged = await judge(one, events, way === 'reader' ? readerPorts(carefulAnswers(readings), note) : undefined)
  const answer = one.true ? perturb(one, events) : undefined
  if (answer === undefined) return { ...judged, change: undefined }
  const after = await judge(
    { ...one, answer },
    events,
    way === 'reader' ? readerPorts(carefulAnswers(readings)) : undefined,
  )
  const at = after.claims.findIndex(({ text }, index) => text !== judged.claims[index]?.text)
  const wasHeld = judged.claims[at]?.verdict === 'supported'
  return { ...judged, change: { isRefused: isRefused(after), wasHeld } }
}

/** The liars that make a true answer fail or a false one pass, those that know which statements are of known truth apart. */
async function askLiars({ one, readings }: Case, events: readonly RunEvent[], { verdict }: Judged): Promise<string[]> {
  const worse = one.true ? 'fail' : 'pass'
  const fooledBy: string[] = []
  if (verdict === worse) return fooledBy
  for (const [name, lie] of Object.entries(LIARS))
    for (const truthOf of [undefined, readControl]) {
      const judged = await judge(one, events, readerPorts(toAnswers(lie, readings, truthOf)))
      if (judged.verdict === worse) fooledBy.push(truthOf === undefined ? name : `${name}, the controls aside`)
    }
  return fooledBy
}

function isRead(half: Case['half']): boolean {
  return !half.startsWith('e ')
}

function isCertified({ verdict, holdsLie }: Judged): boolean {
  return verdict === 'pass' || holdsLie
}

function isRefused({ verdict }: Judged): boolean {
  return verdict === 'fail'
}

function changed(group: readonly Played[], way: Way): Played[] {
  return group.filter((each) => each[way].change !== undefined && !isRefused(each[way]))
}

function count(group: readonly Played[], has: (each: Played) => boolean | undefined): [number, number] {
  return [group.filter(has).length, group.length]
}

function families(halves: readonly Case['half'][]): string[] {
  return [...new Set(halves.flatMap(of).map(({ one }) => one.family))].sort()
}

function wilson([found, n]: [number, number]): [low: number, high: number] {
  const p = found / n
  const z = 1.96
  const middle = (p + z ** 2 / (2 * n)) / (1 + z ** 2 / n)
  const reach = (z / (1 + z ** 2 / n)) * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2))
  return [Math.max(0, middle - reach), Math.min(1, middle + reach)]
}

/** A share with its Wilson interval. */
function toShare([found, n]: [number, number]): string {
  const interval = wilson([found, n]).map((bound) => bound.toFixed(2))
  return n === 0 ? '-' : `${(found / n).toFixed(3)} (${interval.join('–')}, ${found}/${n})`
}

function toShort([found, n]: [number, number]): string {
  const interval = wilson([found, n]).map((bound) => (100 * bound).toFixed(0))
  return n === 0 ? '-' : `${found}/${n} (${interval.join('–')})`
}

function printCost(): void {
  const mean = (all: readonly number[]): string =>
    (all.reduce((sum, value) => sum + value, 0) / Math.max(1, all.length)).toFixed(1)
  const tokens = asked.map((each) => each.tokens).sort((a, b) => a - b)
  console.log(`\n${mean(played.map(({ rules }) => rules.ms))} ms an answer by rules`)
  console.log(
    `reader: ${asked.length} calls for ${played.filter(({ half }) => isRead(half)).length} answers, ${mean(asked.map((each) => each.statements))} statements and ${mean(tokens)} prompt tokens each (median ${tokens[tokens.length >> 1]}, most ${tokens.at(-1)})`,
  )
}

function printLiars(): void {
  const names = Object.keys(LIARS).flatMap((name) => [name, `${name}, the controls aside`])
  const fooled = (name: string, isTrue: boolean): string =>
    String(played.filter(({ one, fooledBy }) => one.true === isTrue && fooledBy.includes(name)).length)
  console.log(
    `\n${toTable(
      ['verdicts changed by a reader that', 'true: fail', 'false: pass'],
      names.map((name) => [name, fooled(name, true), fooled(name, false)]),
    ).join('\n')}`,
  )
}

/** False answers of a family that rules or reader do not refuse, certified ones first, then those that both let through. */
function listMissed(family: string): void {
  const lies = played.filter(({ one }) => !one.true && one.family === family)
  const weigh = ({ rules, reader }: Played): number =>
    [rules, reader].reduce((sum, each) => sum + (isCertified(each) ? 10 : isRefused(each) ? 0 : 1), 0)
  const say = (each: Judged): string => (each.holdsLie ? `${each.verdict}, lie held` : each.verdict)
  const counts = HALVES.map((half) => {
    const [all, missed] = [lies, lies.filter(weigh)].map((group) => group.filter((each) => each.half === half))
    return `${half} ${missed?.length} of ${all?.length}, ${missed?.filter((each) => weigh(each) >= 10).length} certified`
  })
  console.log(`\n${family}, false answers not refused: ${counts.join('; ')}`)
  const named = lies.filter((each) => each.half !== 'unseen' && weigh(each) > 0).sort((a, b) => weigh(b) - weigh(a))
  for (const { one, half, order, rules, reader } of named.slice(0, MOST_LISTED)) {
    const lie = [one.wrong].flat().join(' | ').replace(/\s+/g, ' ')
    const kind = one.decidable ? half : `${half}, not decidable`
    console.log(`  ${order[0]}/${one.id} (${kind}; rules: ${say(rules)}; reader: ${say(reader)}): ${lie}`)
  }
}
