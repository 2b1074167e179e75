import { quietly } from './quietly.ts'

/** Whether the server can be reached: `away` once it is not, `back` once all that was cut goes on. */
export type ConnectionState = 'away' | 'back'

/** Tells of changes between the two. Streams count one by one, all other requests together. */
export class Connection {
  readonly #tell: (state: ConnectionState) => void
  readonly #cut = new Set<object>()
  #isClosed = false

  constructor(tell: (state: ConnectionState) => void = () => {}) {
    this.#tell = tell
  }

  /** A stream was cut, or the server was not reached. @param stream default a request */
  lost(stream: object = this): void {
    this.#change(() => this.#cut.add(stream))
  }

  /** A stream goes on, or a request was answered. */
  back(stream: object = this): void {
    this.#change(() => this.#cut.delete(stream))
  }

  /** Nobody waits for a stream any more: the server is away as before, until it answers something. */
  leave(stream: object): void {
    this.#change(() => {
      if (this.#cut.delete(stream) && this.#cut.size === 0) this.#cut.add(this)
    })
  }

  /** Tells nothing more. */
  close(): void {
    this.#isClosed = true
  }

  #change(change: () => void): void {
    const was = this.#cut.size > 0
    change()
    const isAway = this.#cut.size > 0
    if (isAway === was || this.#isClosed) return
    quietly(() => this.#tell(isAway ? 'away' : 'back'))
  }
}
