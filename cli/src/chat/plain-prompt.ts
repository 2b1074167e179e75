import { createInterface } from 'node:readline'
import type { Prompted } from './screen.ts'

/** Asks for one turn at a terminal in plain lines: the terminal itself edits them, and nothing is redrawn. */
export function promptPlain(): Promise<Prompted> {
  return new Promise((resolve) => {
    let answer: Prompted = 'end'
    const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: false, prompt: 'Task: ' })
    const interrupt = (): void => {
      answer = 'interrupt'
      reader.close()
    }
    process.on('SIGINT', interrupt)
    reader.on('line', (text) => {
      answer = { text }
      reader.close()
    })
    reader.on('close', () => {
      process.off('SIGINT', interrupt)
      if (typeof answer === 'string') process.stderr.write('\n')
      resolve(answer)
    })
    reader.prompt()
  })
}
