import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CapacityError } from '@svc/core'

const CHUNK = 1 << 16
const NEWLINE = 10

interface Waiting {
  text: string
  resolve(): void
  reject(thrown: unknown): void
}

/**
 * A file that only grows, a line a record, written and read by any number of processes.
 *
 * Each write is one call that begins and ends with a line break, so the system keeps writes apart and a line that a crash
 * cut off spoils no other. What is appended while the disk is busy leaves together in the next write.
 */
export class LogFile {
  readonly #path: string
  readonly #onLine: (line: string) => void
  #file: FileHandle | undefined
  #offset = 0
  #rest = Buffer.alloc(0)
  #waiting: Waiting[] = []
  #busy: Promise<unknown> = Promise.resolve()

  /** @param onLine is handed every line once, in the order of the file, this handle's own included */
  constructor(path: string, onLine: (line: string) => void) {
    this.#path = path
    this.#onLine = onLine
  }

  async open(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true })
    this.#file = await open(this.#path, 'a+')
    await this.refresh()
  }

  async close(): Promise<void> {
    await this.#busy
    await this.#file?.close()
    this.#file = undefined
  }

  /** Resolves once the line is on the disk, and it and all before it were read back. */
  append(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject })
      if (this.#waiting.length === 1) void this.#inTurn(() => this.#write())
    })
  }

  /** Reads what was written since the last look. */
  refresh(): Promise<void> {
    return this.#inTurn(() => this.#read())
  }

  async #write(): Promise<void> {
    const batch = this.#waiting.splice(0)
    try {
      const file = this.#opened()
      const bytes = Buffer.from(batch.map(({ text }) => `\n${text}\n`).join(''))
      const { bytesWritten } = await file.write(bytes)
      if (bytesWritten < bytes.length) throw new CapacityError('disk_full', `${this.#path}: no space is left`)
      await file.datasync()
      await this.#read()
      for (const { resolve } of batch) resolve()
    } catch (thrown) {
      const error = this.#toError(thrown)
      for (const { reject } of batch) reject(error)
    }
  }

  async #read(): Promise<void> {
    const file = this.#opened()
    const chunk = Buffer.alloc(CHUNK)
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK, this.#offset)
      if (bytesRead === 0) return
      this.#offset += bytesRead
      this.#rest = Buffer.concat([this.#rest, chunk.subarray(0, bytesRead)])
      let from = 0
      for (let end = this.#rest.indexOf(NEWLINE); end !== -1; end = this.#rest.indexOf(NEWLINE, from)) {
        if (end > from) this.#onLine(this.#rest.toString('utf8', from, end))
        from = end + 1
      }
      this.#rest = this.#rest.subarray(from)
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#busy.then(work)
    this.#busy = done.catch(() => {}) // who asked for it hears of it
    return done
  }

  #opened(): FileHandle {
    if (this.#file !== undefined) return this.#file
    throw new CapacityError('store_unavailable', `${this.#path} is not open`)
  }

  #toError(thrown: unknown): unknown {
    if (thrown instanceof CapacityError) return thrown
    const code = (thrown as NodeJS.ErrnoException).code === 'ENOSPC' ? 'disk_full' : 'store_unavailable'
    return new CapacityError(code, `${this.#path}: ${String(thrown)}`, { cause: thrown })
  }
}
