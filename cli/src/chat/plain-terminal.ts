import { createInterface, type Interface } from 'node:readline'
import { toShownText } from '@svc/core/client'
import type { Io } from '../frame/io.ts'
import { Outbox } from './outbox.ts'
import type { ChatTerminal, Prompted, WorkOptions } from './terminal.ts'

/** A terminal in plain lines: it edits them itself, and nothing is redrawn. */
export class PlainTerminal implements ChatTerminal {
  readonly #io: Pick<Io, 'err' | 'show'>
  readonly #outbox = new Outbox()
  #reader: Interface | undefined
  #hasEnded = false

  constructor(io: Pick<Io, 'err' | 'show'>) {
    this.#io = io
  }

  prompt(): Promise<Prompted> {
    const waiting = this.#outbox.next()
    if (waiting !== undefined) {
      this.#io.err(`Task: ${toShownText(waiting)}\n`)
      return Promise.resolve({ text: waiting })
    }
    return this.#hasEnded ? Promise.resolve('end') : ask()
  }

  async work<T>(turn: () => Promise<T>, { messages }: Pick<WorkOptions, 'messages'>): Promise<T> {
    this.#outbox.begin(messages)
    this.#listen()
    try {
      return await turn()
    } finally {
      this.#rest()
      this.#outbox.end()
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

  sendNext(text: string): void {
    this.#outbox.putFirst(text)
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
    reader.on('line', (line) => {
      const text = line.trim()
      if (text === '') return
      // As at other terminals, Tab queues.
      if (!this.#outbox.put(text, line.endsWith('\t'))) this.#io.err('svc: queued as the next turn\n')
    })
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
