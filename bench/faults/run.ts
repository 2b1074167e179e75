/**
 * What becomes of calls while one request in five fails: `npm run bench:faults [-- --calls 200 --seed 1 --share 0.2]`
 *
 * A table of success and requests a call, for each fault, wire format, and stream or not. Exits with 1 where a cell has less
 * than 99 % or more than 1.3 requests a call.
 */
import { parseArgs } from 'node:util'
import { toTable } from '../table.mjs'
import { FAULTS, REFUSAL } from './faults.ts'
import { FORMATS } from './formats.ts'
import { type Cell, type MatrixOptions, type Outcome, runCell } from './matrix.ts'

const LEAST_RIGHT = 0.99
const MOST_REQUESTS = 1.3
/** Most of their time they wait. */
const CELLS_AT_ONCE = 4

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    share: { type: 'string', default: '0.2' },
    only: { type: 'string', default: '' },
  },
})
const options: MatrixOptions = {
  ...{ calls: Number(values.calls), seed: Number(values.seed), share: Number(values.share) },
  ...{ atOnce: 10, silenceMs: 1_000 },
}
const faults = [...FAULTS, REFUSAL].filter(({ name }) => name.includes(values.only))
const cells = faults.flatMap((fault) =>
  FORMATS.flatMap((format) => [false, true].map((stream): Cell => ({ fault, format, stream }))),
)
const outcomes: Outcome[] = []
let next = 0
const work = async (): Promise<void> => {
  for (let at = next++; at < cells.length; at = next++) {
    const cell = cells[at]
    // Each cell draws numbers of its own.
    if (cell !== undefined) outcomes[at] = await runCell(cell, { ...options, seed: options.seed * 1_000 + at })
  }
}
const startedAt = performance.now()
await Promise.all(Array.from({ length: CELLS_AT_ONCE }, work))
const seconds = Math.round((performance.now() - startedAt) / 1_000)

const shareOf = ({ right, calls }: Outcome): number => right / calls
const costOf = ({ requests, calls }: Outcome): number => requests / calls
const isGood = (outcome: Outcome): boolean => shareOf(outcome) >= LEAST_RIGHT && costOf(outcome) <= MOST_REQUESTS
const show = (outcome: Outcome): string =>
  `${(100 * shareOf(outcome)).toFixed(1)} % ${costOf(outcome).toFixed(2)}${isGood(outcome) ? '' : ' MISSED'}`
const heads = FORMATS.flatMap((format) => [format, `${format}, streamed`])
const rows = faults.map(({ name }, row) => [
  name,
  ...outcomes.slice(row * heads.length, (row + 1) * heads.length).map(show),
])
console.log(toTable([`${values.calls} calls a cell, ${values.share} of requests faulty`, ...heads], rows).join('\n'))
for (const { name, right } of faults) if (right !== undefined) console.log(`${name}: right is ${right}`)
const missed = outcomes.filter((outcome) => !isGood(outcome))
for (const { fault, format, stream, wrong } of missed)
  console.log(
    `MISSED ${fault.name}, ${format}${stream ? ', streamed' : ''}: ${wrong.slice(0, 3).join(' | ').slice(0, 400)}`,
  )
const all = outcomes.reduce((sum, { requests }) => sum + requests, 0) / (outcomes.length * options.calls)
console.log(
  `${outcomes.length - missed.length} of ${outcomes.length} cells hold; ${all.toFixed(3)} requests a call over all; ${seconds} s`,
)
process.exitCode = missed.length > 0 ? 1 : 0
