/** What is redrawn at the bottom of a terminal: whatever is drawn and printed, what was printed stays whole, once. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openRegion } from '../../src/terminal/region.ts'
import { Screen } from '../fixtures/terminal.ts'

const test = suite('region')

const COLUMNS = 12
const ROWS = 50
const line = fc.stringMatching(/^[a-z課]{0,5}$/)
const step = fc.oneof(
  fc.record({ draw: fc.array(line, { maxLength: 6 }), at: fc.option(fc.nat(5)) }),
  fc.record({ print: fc.array(fc.stringMatching(/^[A-Z]{1,8}$/), { minLength: 1, maxLength: 3 }) }),
)

/** A terminal in the place of standard error. @returns what gives it back */
function replaceTerminal(screen: Screen): () => void {
  const { stderr } = process
  const { write } = stderr
  stderr.write = ((text: string) => {
    screen.write(text.replace(/\r?\n/g, '\r\n')) // as a terminal takes it
    return true
  }) as typeof write
  return () => {
    stderr.write = write
  }
}

test('above the region stands what was printed, below it the newest lines, and nothing stays when it is closed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const screen = new Screen(COLUMNS)
      const giveBack = replaceTerminal(screen)
      const region = openRegion({ columns: COLUMNS, rows: ROWS })
      const printed: string[] = []
      let drawn: string[] = []
      const seen: [shown: string[], wanted: string[]][] = []
      const look = (): void => void seen.push([screen.lines.filter(Boolean), [...printed, ...drawn].filter(Boolean)])
      try {
        for (const each of steps) {
          if ('print' in each) {
            process.stderr.write(`${each.print.join('\n')}\n`)
            printed.push(...each.print)
            await Promise.resolve() // it is drawn again once all is printed
          } else {
            drawn = each.draw
            const last = Math.max(0, drawn.length - 1)
            region.draw(drawn, each.at === null ? undefined : { line: Math.min(each.at, last), column: 0 })
          }
          look()
        }
        region.close()
        drawn = []
        look()
      } finally {
        giveBack()
      }
      for (const [shown, wanted] of seen) assert.equal(shown, wanted)
    }),
    { numRuns: 200 },
  )
})

test.run()
