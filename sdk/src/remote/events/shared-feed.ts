import type { RunEvent, SvcError } from '@svc/core/client'
import type { HttpClient } from '../http-client.ts'
import { quietly } from '../quietly.ts'

/** Runs of which it is remembered what was handed on. */
const MOST_TOLD = 1_000

/** Who reads what begins, waits and ends. */
export interface FeedHandlers {
  onEvent: (event: RunEvent) => void
  /** Reading begins, for the first time or after a gap: what was before is not told. */
  onOpen: () => void
  /** The server refuses it: nothing more comes. */
  onEnd: (error: SvcError) => void
}

/** What begins, waits and ends, for all who read it, each once over connections that overlap. */
export class SharedFeed {
  readonly readers = new Set<FeedHandlers>()
  readonly #http: HttpClient
  readonly #all: boolean
  /** Number of the newest event that was handed on, by run. */
  readonly #told = new Map<string, number>()

  constructor(http: HttpClient, all: boolean) {
    this.#http = http
    this.#all = all
  }

  open(): void {
    for (const { onOpen } of this.readers) quietly(onOpen)
  }

  async take(sent: RunEvent & { ref?: string }): Promise<void> {
    const { runId, seq = 0 } = sent
    if (seq <= (this.#told.get(runId) ?? 0)) return
    this.#told.delete(runId)
    this.#told.set(runId, seq)
    if (this.#told.size > MOST_TOLD) this.#told.delete(this.#told.keys().next().value as string)
    const event = sent.ref === undefined ? sent : await this.#whole(sent, sent.ref)
    for (const { onEvent } of this.readers) quietly(() => onEvent(event))
  }

  /** Of a run that was removed meanwhile, the beginnings of its texts are all there is. */
  #whole(sent: RunEvent, ref: string): Promise<RunEvent> {
    return this.#http.json<RunEvent>('GET', ref, { query: this.#all ? { all: true } : {} }).catch(() => sent)
  }
}
