/**
 * Do the figures of experiments hold what they say? `npm run bench:experiments [-- --repeats 1000]`
 * Simulations with fixed seeds; docs/research/statistics.md has the table.
 */
import { parseArgs } from 'node:util'
import {
  coverageOf,
  falseAlarms,
  missedRegressions,
  powerOf,
  WORLDS,
} from '../../sdk/test/fixtures/simulate-statistics.ts'
import { toTable } from '../table.mjs'

const { values } = parseArgs({ options: { repeats: { type: 'string', default: '1000' } } })
const repeats = Number(values.repeats)
const FAMILIES = [10, 20, 50, 100]
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
const print = (head: readonly string[], rows: readonly (readonly string[])[]): void =>
  console.log(`${toTable(head, rows).join('\n')}\n`)

print(
  [`coverage of 95 % intervals, ${repeats} samples`, ...FAMILIES.map((count) => `${count} families`)],
  Object.entries(WORLDS).map(([name, world]) => [
    name,
    ...FAMILIES.map((families) => percent(coverageOf(world, families, repeats))),
  ]),
)
print(
  ['false alarms: three arms that change nothing', '20 tasks', '50 tasks', '100 tasks'],
  [1, 3].map((seeds) => [`${seeds} seeds`, ...[20, 50, 100].map((n) => percent(falseAlarms(n, seeds, repeats)))]),
)
print(
  ['power of the difference that the dry run states, to be .80', 'sd', '10 tasks', '20', '50', '100', '200', '400'],
  [1, 2, 6].flatMap((tests) =>
    [1, 3].map((seeds) => {
      const stated = [10, 20, 50, 100, 200, 400].map((tasks) => powerOf(tasks, seeds, tests, repeats))
      return [
        `${tests} tests, ${seeds} seeds`,
        (stated[0]?.sd ?? 0).toFixed(2),
        ...stated.map(({ effect, power }) =>
          power === null ? 'none' : `${power.toFixed(3)} of ${(100 * effect).toFixed(1)} points`,
        ),
      ]
    }),
  ),
)
print(
  ['intervals of regressions shown that miss, at most 5 %', '30 tasks', '100 tasks'],
  [2, 3, 6].map((seeds) => [
    `${seeds} seeds`,
    ...[30, 100].map((tasks) => percent(missedRegressions(tasks, seeds, Math.ceil(repeats / 4)))),
  ]),
)
