import type { ModelInfo, ModelProvider, RateLimits } from '../../../contracts/model/model.ts'

const MINUTE_MS = 60_000
/** The longest wait that a provider may ask for. */
const MOST_PAUSE_MS = 60_000
/** Tries beyond the first: so many a call in the long run, and so many at once. */
const RETRIES_PER_CALL = 0.3
const MOST_RETRIES = 20

/** A call that asks for leave. */
export interface Applicant {
  /** Whose run it is, and which: both take turns. */
  readonly owner: string
  readonly runId: string
  readonly model: string
  /** That it is expected to take, input and output together. */
  readonly tokens: number
}

/** What holds calls back. */
export type Reason = 'maxConcurrency' | 'requestsPerMinute' | 'tokensPerMinute' | 'the provider'

/** Leave to send one call. */
export interface Leave {
  /** Has to be called once the call has ended. @param tokens that it took, where that is known */
  end(tokens?: number): void
}

interface Waiting extends Applicant {
  readonly go: (leave: Leave) => void
}

type Limits = Pick<ModelProvider, 'maxConcurrency' | 'requestsPerMinute' | 'tokensPerMinute'>

/** What was sent in the last minute, to a provider or to one of its models. */
class Window {
  limits: Limits = {}
  #running = 0
  #sent: { at: number; tokens: number }[] = []

  /** @returns why a call has to wait, and until when, where time alone ends that */
  blockOf(tokens: number, now: number): { reason: Reason; until: number } | undefined {
    const { maxConcurrency = Infinity, requestsPerMinute = Infinity, tokensPerMinute = Infinity } = this.limits
    if (this.#running >= maxConcurrency) return { reason: 'maxConcurrency', until: Infinity }
    if (requestsPerMinute === Infinity && tokensPerMinute === Infinity) return undefined
    this.#sent = this.#sent.filter(({ at }) => at > now - MINUTE_MS)
    const over = this.#sent[this.#sent.length - requestsPerMinute]
    if (over !== undefined) return { reason: 'requestsPerMinute', until: over.at + MINUTE_MS }
    let taken = this.#sent.reduce((sum, sent) => sum + sent.tokens, 0)
    // One call that is larger than the limit goes when nothing else was sent.
    for (const sent of this.#sent) {
      if (taken + tokens <= tokensPerMinute) break
      taken -= sent.tokens
      if (taken + tokens <= tokensPerMinute || sent === this.#sent.at(-1))
        return { reason: 'tokensPerMinute', until: sent.at + MINUTE_MS }
    }
    return undefined
  }

  /** @returns what the call took, as it is counted from now on */
  start(tokens: number, at: number): { tokens: number } {
    const sent = { at, tokens }
    this.#running++
    const { requestsPerMinute, tokensPerMinute } = this.limits
    if (requestsPerMinute !== undefined || tokensPerMinute !== undefined) this.#sent.push(sent)
    return sent
  }

  end(): void {
    this.#running--
  }
}

/**
 * Lets calls to one provider leave, over all runs of the process: no more at once and in a minute than it takes, none while
 * it has asked to wait. Who waits takes turns, by owner and by run of an owner, so that a run with many calls holds up nobody.
 */
export class Gate {
  readonly #clock: () => number
  readonly #all = new Window()
  readonly #ofModel = new Map<string, Window>()
  /** By owner, then by run; who was served moves to the end. */
  readonly #waiting = new Map<string, Map<string, Waiting[]>>()
  #pausedUntil = 0
  #timer: NodeJS.Timeout | undefined
  #retries = MOST_RETRIES

  /** @param clock milliseconds since the epoch */
  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** What the provider, and the model, take; the newest config counts. */
  limit(provider: Limits, model: string, info: ModelInfo | undefined): void {
    this.#all.limits = provider
    this.#windowOf(model).limits = info ?? {}
  }

  /**
   * Asks for leave.
   *
   * @param onWait gets the reason where the call has to wait
   * @throws the signal's reason
   */
  async enter(applicant: Applicant, signal: AbortSignal, onWait: (reason: Reason) => void): Promise<Leave> {
    signal.throwIfAborted()
    const block = this.#blockOf(applicant)
    if (block === undefined && this.#waiting.size === 0) return this.#admit(applicant)
    return new Promise((resolve, reject) => {
      let isGone = false
      const leave = (): void => {
        this.#remove(waiting)
        if (this.#waiting.size === 0) clearTimeout(this.#timer)
        reject(signal.reason)
      }
      const waiting: Waiting = {
        ...applicant,
        go: (given) => {
          isGone = true
          signal.removeEventListener('abort', leave)
          resolve(given)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      const ofOwner = this.#waiting.get(applicant.owner) ?? new Map<string, Waiting[]>()
      this.#waiting.set(applicant.owner, ofOwner)
      ofOwner.set(applicant.runId, [...(ofOwner.get(applicant.runId) ?? []), waiting])
      this.#serve()
      if (!isGone) onWait(block?.reason ?? 'maxConcurrency')
    })
  }

  /** The provider has asked for nothing more until then: nobody is sent. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock() + Math.min(ms, MOST_PAUSE_MS))
  }

  /**
   * Takes what an answer says is left: where that is nothing, all wait until there is enough for a call.
   *
   * @param size tokens of a call
   */
  learn({ requests, tokens }: RateLimits, size: number): void {
    if (requests !== undefined && requests.remaining <= 0) this.pause(requests.resetMs / (requests.limit ?? 1))
    if (tokens !== undefined && tokens.remaining <= 0)
      this.pause(tokens.resetMs * Math.min(1, size / (tokens.limit ?? size)))
  }

  /** A call begins, which pays a part of a retry. */
  begin(): void {
    this.#retries = Math.min(MOST_RETRIES, this.#retries + RETRIES_PER_CALL)
  }

  /** Whether another try may be made: in an outage tries must not multiply what is sent. */
  takeRetry(): boolean {
    if (this.#retries < 1) return false
    this.#retries--
    return true
  }

  #windowOf(model: string): Window {
    const window = this.#ofModel.get(model) ?? new Window()
    this.#ofModel.set(model, window)
    return window
  }

  #blockOf({ model, tokens }: Applicant): { reason: Reason; until: number } | undefined {
    const now = this.#clock()
    // A clock that was put back must not keep calls away for longer.
    if (this.#pausedUntil > now && this.#pausedUntil <= now + MOST_PAUSE_MS)
      return { reason: 'the provider', until: this.#pausedUntil }
    return this.#all.blockOf(tokens, now) ?? this.#windowOf(model).blockOf(tokens, now)
  }

  #admit({ model, tokens }: Applicant): Leave {
    const windows = [this.#all, this.#windowOf(model)]
    const sent = windows.map((window) => window.start(tokens, this.#clock()))
    return {
      end: (taken) => {
        if (taken !== undefined) for (const each of sent) each.tokens = taken
        for (const window of windows) window.end()
        this.#serve()
      },
    }
  }

  /** Lets those go that may, one after the other in turn. */
  #serve(): void {
    clearTimeout(this.#timer)
    let until = Infinity
    for (let isServed = true; isServed; ) {
      isServed = false
      until = Infinity
      for (const first of this.#inTurn()) {
        const block = this.#blockOf(first)
        if (block !== undefined) {
          until = Math.min(until, block.until)
          continue
        }
        this.#remove(first, true)
        first.go(this.#admit(first))
        isServed = true
        break
      }
    }
    if (until === Infinity) return
    // One millisecond more: a timer may end a little before its time.
    this.#timer = setTimeout(() => this.#serve(), Math.max(1, until - this.#clock() + 1))
  }

  /** The first of each run, the owner and the run first that were served longest ago. */
  *#inTurn(): Generator<Waiting> {
    for (const runs of this.#waiting.values()) {
      for (const [first] of runs.values()) if (first !== undefined) yield first
    }
  }

  /** @param isServed whether its run and its owner had their turn */
  #remove({ owner, runId, go }: Waiting, isServed = false): void {
    const runs = this.#waiting.get(owner)
    const left = runs?.get(runId)?.filter((each) => each.go !== go) ?? []
    if (isServed || left.length === 0) runs?.delete(runId)
    if (left.length > 0) runs?.set(runId, left)
    if (runs !== undefined && isServed) {
      this.#waiting.delete(owner)
      this.#waiting.set(owner, runs)
    }
    if (runs?.size === 0) this.#waiting.delete(owner)
  }
}
