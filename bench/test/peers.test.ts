/** The page that compares svc with other libraries: its programs are the files, and each does what the others do. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BLOCKS } from '../../examples/test/fixtures/page-blocks.ts'
import { checkTypes, INSTALLED, linesOf, PROGRAMS, runProgram, textOf } from '../peers/programs.ts'

const isWhole = INSTALLED.length === PROGRAMS.length
const test = suite(`peers${isWhole ? '' : ' (svc alone: npm install --prefix bench/peers has the others)'}`)

test('the page shows the programs as they are', () => {
  const shown = BLOCKS.filter(({ page, language }) => page === 'docs/coming-from.md' && language === 'ts')
  assert.equal(
    shown.map(({ code }) => code),
    PROGRAMS.map(textOf),
  )
})

test('the program of svc has no more lines than that of any other, in narrow and in wide lines', () => {
  for (const width of [80, 100, 120]) {
    const [ours = Number.NaN, ...others] = PROGRAMS.map((program) => linesOf(program, width))
    assert.ok(ours <= Math.min(...others), `${width} letters: ${ours} lines, others ${others}`)
  }
})

for (const program of INSTALLED) {
  test(`the program of ${program} asks, refunds what is approved, and nothing else`, async () => {
    for (const [reply, euros] of [
      ['yes', 80],
      ['no', 0],
    ] as const) {
      const { code, said, requests } = await runProgram(program, reply)
      assert.is(said.trim(), `Refund {"order":"A-17","euros":80}? {"refunded":${euros}}\nRefunded: ${euros} euros`)
      assert.equal([code, requests], [0, 3])
    }
  })
}

if (isWhole) test('the programs have the types of the packages', () => assert.is(checkTypes(), ''))

test.run()
