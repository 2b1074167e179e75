import type { RunEvent, SvcError } from '@svc/core/client'
import type { HttpClient } from '../http-client.ts'
import { quietly } from '../quietly.ts'
import { wholeOf } from './watch-runs.ts'

/** Who reads a run. */
export interface RunHandlers {
  /** Number of the last event that is known. Default 0. */
  after?: number
  /** Each kept event once and in order, and the pieces of answers. */
  onEvent: (event: RunEvent) => void
  /** The run has ended, or cannot be read: nothing more comes. */
  onEnd: (error?: SvcError) => void
}

/** Who reads what begins, waits and ends. */
export interface FeedHandlers {
  onEvent: (event: RunEvent) => void
  /** Reading begins, for the first time or after a gap: what was before is not told. */
  onOpen: () => void
  /** The server refuses it: nothing more comes. */
  onEnd: (error: SvcError) => void
}

/**
 * What begins, waits and ends, for all who read it, each once over connections that overlap. A connection says where in what
 * the server tells it begins; its frames are counted from there.
 */
export class SharedFeed {
  readonly readers = new Set<FeedHandlers>()
  readonly #http: HttpClient
  readonly #all: boolean
  /** What the server told without a pause, and how much of it was handed on; undefined where somebody is to hear of a gap. */
  #period: string | undefined
  #last = 0
  /** Number of the newest frame of the connection. */
  #at = 0

  constructor(http: HttpClient, all: boolean) {
    this.#http = http
    this.#all = all
  }

  /** Takes in a reader, who hears when reading begins. @param isOpen whether it has begun */
  add(reader: FeedHandlers, isOpen: boolean): void {
    this.readers.add(reader)
    if (isOpen) quietly(reader.onOpen)
    else this.#period = undefined
  }

  /** Whether a connection begins after what was handed on so far, and the one before may have what lies between. */
  isAhead(headers: Headers): boolean {
    const { period, at } = placeIn(headers)
    return period === this.#period && this.#last < at
  }

  /** What comes now is of a new connection. */
  begin(headers: Headers): void {
    const { period, at } = placeIn(headers)
    const hasGap = period === '' || period !== this.#period || this.#last < at
    this.#at = at
    if (!hasGap) return
    this.#period = period
    this.#last = at
    for (const { onOpen } of this.readers) quietly(onOpen)
  }

  /** @param signal aborted where another connection has taken its place */
  async take(sent: RunEvent, signal: AbortSignal): Promise<void> {
    const number = ++this.#at
    if (number <= this.#last) return
    const event = await wholeOf(sent, this.#http, this.#all ? { all: true } : {}, signal)
    if (signal.aborted) return
    this.#last = number
    for (const { onEvent } of this.readers) quietly(() => onEvent(event))
  }
}

/** Where a connection begins; without a period where the server does not say so. */
function placeIn(headers: Headers): { period: string; at: number } {
  const [period = '', at = ''] = (headers.get('svc-feed-place') ?? '').split(':')
  return { period, at: Number(at) }
}
