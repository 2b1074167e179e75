/**
 * One program in svc, AI SDK, OpenAI Agents and LangGraph, beside one another: two typed tools of which one needs a person, the
 * answer as it is said, and as data. docs/coming-from.md shows it.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/peers/compare.ts
 *   The others run after `npm install --prefix bench/peers`.
 */
import { toTable } from '../table.mjs'
import { checkTypes, INSTALLED, linesOf, PROGRAMS, runProgram } from './programs.ts'

const WIDTHS = [80, 100, 120]
const rows = []
for (const program of PROGRAMS) {
  const lines = WIDTHS.map((width) => String(linesOf(program, width)))
  const ran = INSTALLED.includes(program) ? await runProgram(program, 'yes') : undefined
  const end =
    ran === undefined ? ['', 'not installed'] : [String(ran.requests), ran.said.trim().split('\n').at(-1) ?? '']
  rows.push([program, ...lines, ...end])
}
console.log(toTable(['', ...WIDTHS.map((width) => `lines of ${width}`), 'model calls', 'says last'], rows).join('\n'))
if (INSTALLED.length === PROGRAMS.length) console.log(checkTypes() || 'types: no errors')
