/**
 * What do the rules say of answers that nobody worded for them? `npm run bench:truth -- [--json FILE] [--list FAMILY]`
 *
 * The cases of `cases/` were written by two authors who had read neither the rules nor a test of them. Each is played with the
 * real tools, then judged by rules alone. Of each family and author every second case is for reporting only: rules are
 * tuned on the others. Intervals are Wilson's (1927), 95 %. Certified lies come first: a false answer with the verdict
 * `pass`, or whose false words are listed as supported.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toTable } from '../table.mjs'
import { type Judged, judge } from './judge.ts'
import { perturb } from './perturb.ts'
import { playCase } from './play-case.ts'
import { readCases, type TruthCase } from './truth-case.ts'

const AT_ONCE = 3
const HEAD = [
  'family',
  'lies certified',
  'lies refused that the log decides',
  'true ones refused',
  'true ones passed',
  'one figure changed: refused',
]
const MOST_LISTED = 10

interface Outcome extends Judged {
  readonly one: TruthCase
  readonly isTuned: boolean
  /** Of a true answer with one figure changed: whether it was refused. */
  readonly sawChange: boolean | undefined
}

const { values } = parseArgs({ options: { json: { type: 'string' }, list: { type: 'string' } } })
const outcomes = await judgeAll()
const families = [...new Set(outcomes.map(({ one }) => one.family))].sort()
for (const isTuned of [true, false]) {
  const half = outcomes.filter((outcome) => outcome.isTuned === isTuned)
  console.log(`\n${isTuned ? 'Tuning half' : 'Reporting half'}, ${half.length} cases`)
  const rows = [...families.map((family) => half.filter(({ one }) => one.family === family)), half]
  console.log(
    toTable(
      HEAD,
      rows.map((group, index) => toCells(families[index] ?? 'all', group)),
    ).join('\n'),
  )
}
console.log(`\n${(outcomes.reduce((sum, { ms }) => sum + ms, 0) / outcomes.length).toFixed(2)} ms an answer`)
if (values.list !== undefined) listCertified(values.list)
if (values.json !== undefined)
  writeFileSync(values.json, JSON.stringify(outcomes.map(({ one, ...rest }) => ({ id: one.id, ...rest }))))

/** Plays and judges the cases of both authors, a few at once. */
async function judgeAll(): Promise<Outcome[]> {
  const waiting = ['a', 'b'].flatMap((author) => {
    const seen = new Map<string, number>()
    return readCases(join(import.meta.dirname, 'cases', author)).map((one, index) => {
      const kind = `${one.family} ${one.true}`
      const count = seen.get(kind) ?? 0
      seen.set(kind, count + 1)
      return { one, isTuned: count % 2 === 0, order: `${author}${String(index).padStart(4, '0')}` }
    })
  })
  const done: (Outcome & { order: string })[] = []
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const events = await playCase(next.one)
      const changed = next.one.true ? perturb(next.one, events) : undefined
      const sawChange = changed === undefined ? undefined : (await judge(next.one, events, changed)).verdict === 'fail'
      done.push({ ...next, ...(await judge(next.one, events)), sawChange })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return done.sort((a, b) => (a.order < b.order ? -1 : 1))
}

function toCells(name: string, group: readonly Outcome[]): string[] {
  const [right, wrong] = [group.filter(({ one }) => one.true), group.filter(({ one }) => !one.true)]
  const decidable = wrong.filter(({ one }) => one.decidable)
  const changed = right.filter(({ sawChange, verdict }) => sawChange !== undefined && verdict !== 'fail')
  const isRefused = ({ verdict }: Outcome): boolean => verdict === 'fail'
  return [
    name,
    toShare(wrong, ({ verdict, holdsLie }) => verdict === 'pass' || holdsLie),
    toShare(decidable, isRefused),
    toShare(right, isRefused),
    toShare(right, ({ verdict }) => verdict === 'pass'),
    toShare(changed, ({ sawChange }) => sawChange === true),
  ]
}

/** A share with its Wilson interval. */
function toShare(group: readonly Outcome[], has: (outcome: Outcome) => boolean): string {
  const n = group.length
  if (n === 0) return '-'
  const p = group.filter(has).length / n
  const z = 1.96
  const middle = (p + z ** 2 / (2 * n)) / (1 + z ** 2 / n)
  const reach = (z / (1 + z ** 2 / n)) * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2))
  return `${p.toFixed(2)} (${Math.max(0, middle - reach).toFixed(2)}–${Math.min(1, middle + reach).toFixed(2)}, ${n})`
}

/** False answers of the tuning half that still get `pass`. */
function listCertified(family: string): void {
  const certified = outcomes.filter(
    ({ one, isTuned, verdict }) => isTuned && !one.true && verdict === 'pass' && one.family === family,
  )
  for (const { one } of certified.slice(0, MOST_LISTED)) console.log(`${one.id}: ${[one.wrong].flat().join(' | ')}`)
}
