import { createInterface } from 'node:readline'
import type { Io } from '../frame/io.ts'

const MOST_LINES = 200

/** How a prompt ended: with a text, by Ctrl-D, or by Ctrl-C. */
export type Prompted = { text: string } | 'end' | 'interrupt'

/**
 * Asks for one turn at the terminal, with the earlier ones under the arrow keys. Lines that come at once, as pasted ones
 * do, are one turn.
 *
 * @param history the newest first
 */
export function promptTurn(io: Io, history: readonly string[]): Promise<Prompted> {
  return new Promise((resolve) => {
    const lines: string[] = []
    let answer: Prompted = 'end'
    const reader = createInterface({
      input: process.stdin,
      output: process.stderr,
      terminal: true,
      history: history.slice(0, MOST_LINES).map((text) => text.replace(/\s+/gu, ' ')),
      historySize: MOST_LINES,
      prompt: io.paint.bold('> '),
    })
    reader.on('line', (line) => {
      // What stands there where the terminal hangs up was not sent.
      if (process.stdin.readableEnded) return
      lines.push(line)
      if (lines.length > 1) return
      setImmediate(() => {
        answer = { text: lines.join('\n') }
        reader.close()
      })
    })
    reader.on('SIGINT', () => {
      if (reader.line !== '') {
        reader.write(null, { ctrl: true, name: 'e' })
        reader.write(null, { ctrl: true, name: 'u' })
        return
      }
      answer = 'interrupt'
      reader.close()
    })
    reader.on('SIGCONT', () => reader.prompt(true)) // Node stops reading with Ctrl-Z, and begins again at a prompt alone
    reader.on('close', () => {
      if (typeof answer === 'string') io.err('\n')
      resolve(answer)
    })
    reader.prompt()
  })
}
