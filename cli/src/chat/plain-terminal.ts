import { createInterface, type Interface } from 'node:readline'
import { toShownText } from '@svc/core/client'
import type { Io } from '../frame/io.ts'
import type { Outbox } from './outbox.ts'
import type { ChatTerminal, Prompted } from './terminal.ts'

/** A terminal in plain lines: it edits them itself, and nothing is redrawn. */
export class PlainTerminal implements ChatTerminal {
  readonly #io: Pick<Io, 'show'>
  readonly #outbox: Outbox
  #reader: Interface | undefined
  #hasEnded = false

  constructor(io: Pick<Io, 'show'>, outbox: Outbox) {
    this.#io = io
    this.#outbox = outbox
  }

  prompt(): Promise<Prompted> {
    const text = this.#outbox.next()
    if (text === undefined) return this.#hasEnded ? Promise.resolve('end') : ask()
    this.#io.show(`Task: ${toShownText(text)}\n`)
    return Promise.resolve({ text })
  }

  async work<T>(turn: () => Promise<T>): Promise<T> {
    this.#listen()
    try {
      return await turn()
    } finally {
      this.#rest()
      this.#outbox.begin(undefined)
    }
  }

  async pause<T>(work: () => Promise<T>): Promise<T> {
    this.#rest()
    try {
      return await work()
    } finally {
      this.#listen()
    }
  }

  /** No plain line can be changed: they are said. */
  giveBack(texts: readonly string[]): void {
    for (const text of texts) this.#io.show(`svc: not read, and not sent again: ${toShownText(text)}\n`)
  }

  #listen(): void {
    // Where nothing is sent, what is typed stays in the terminal for the next prompt.
    if (!this.#outbox.isSending || this.#hasEnded) return
    const reader = createInterface({ input: process.stdin, terminal: false })
    this.#reader = reader
    // As at other terminals, Tab queues.
    reader.on('line', (line) => line.trim() !== '' && this.#outbox.put(line.trim(), line.endsWith('\t')))
    reader.on('close', () => {
      if (this.#reader === reader) this.#hasEnded = true
    })
  }

  #rest(): void {
    const reader = this.#reader
    this.#reader = undefined
    reader?.close()
  }
}

/** Asks for one turn. */
function ask(): Promise<Prompted> {
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
