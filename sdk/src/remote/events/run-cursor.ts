import { InternalError, type Reach, type RunEvent } from '@svc/core/client'
import type { HttpClient } from '../http-client.ts'
import { Pieces } from '../pieces.ts'

/** So often a stream may miss the same event before something is wrong with it. */
const MOST_GAPS = 5

export interface CursorOptions extends Reach {
  /** Number of the last event that is known. */
  after: number
  /** False: without the pieces of answers. Default true. */
  deltas?: boolean
  /** The run began just now, so that its reader is to have all the pieces. Default false. */
  isOwn?: boolean
  signal?: AbortSignal | undefined
}

/** How far a reader is in a run: what a stream sends becomes each kept event once and in order, and text without a gap. */
export class RunCursor {
  readonly #http: HttpClient
  readonly #id: string
  readonly #signal: AbortSignal | undefined
  readonly #reach: Reach
  readonly #pieces: Pieces | undefined
  #last: number
  #gaps = 0

  constructor(http: HttpClient, id: string, { after, deltas = true, isOwn = false, signal, ...reach }: CursorOptions) {
    this.#http = http
    this.#id = id
    this.#last = after
    this.#signal = signal
    this.#reach = reach
    this.#pieces = deltas ? new Pieces(isOwn) : undefined
  }

  /** Number of the last event that the reader has. */
  get last(): number {
    return this.#last
  }

  /** From now on pieces of answers may be missing. */
  cut(): void {
    this.#pieces?.cut()
  }

  /**
   * What a reader gets for an event of the stream.
   *
   * @returns undefined where an event before it is missing: the stream has to be asked for again, after `last`
   * @throws InternalError where it is missing again and again
   */
  async take(sent: RunEvent & { ref?: string }): Promise<RunEvent[] | undefined> {
    const { seq } = sent
    if (seq === undefined) return this.#show(sent)
    if (seq <= this.#last) return []
    if (seq > this.#last + 1) {
      if (++this.#gaps > MOST_GAPS) throw missing(this.#id, this.#last + 1, seq)
      return undefined
    }
    // A long one comes with its texts cut. Until it is here as a whole, the reader does not have it.
    const event = sent.ref === undefined ? sent : await this.#whole(seq)
    // Meanwhile it may have come over another connection.
    if (seq <= this.#last) return []
    this.#gaps = 0
    this.#last = seq
    return this.#show(event)
  }

  #show(event: RunEvent): RunEvent[] {
    return this.#pieces?.apply(event) ?? [event]
  }

  #whole(seq: number): Promise<RunEvent> {
    const path = `/v1/runs/${encodeURIComponent(this.#id)}/events/${seq}`
    return this.#http.json('GET', path, { query: this.#reach, ...(this.#signal && { signal: this.#signal }) })
  }
}

const missing = (id: string, wanted: number, seen: number): InternalError =>
  new InternalError('internal_error', `the stream of ${id} goes on with event ${seen}, and ${wanted} is missing`)
