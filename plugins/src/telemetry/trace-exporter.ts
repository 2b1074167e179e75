import { isTerminalEvent, type RunTrace, type Runtime, readTraceparent, traceOf } from '@svc/core'
import { toOtlp } from './otlp-json.ts'
import { type Collector, sendTraces } from './send-traces.ts'

/** How long spans wait for others to be sent with. */
const LINGER_MS = 1_000
/** Runs that wait to be sent; those beyond them are left out. */
const MOST_WAITING = 1_000
/** Runs of one request. */
const MOST_RUNS = 20
/** What is left at the end has so long. */
const CLOSE_MS = 5_000

export interface TraceExporterOptions extends Collector {
  /** Whether tasks, answers, arguments and results of tools are sent too. */
  content: boolean
  /** Of this service, such as `service.name`. */
  resource: Readonly<Record<string, string>>
  /** Takes secrets out of a text. */
  clean: (text: string) => string
  /** Receives the first failure. */
  report: (message: string) => void
}

/**
 * Sends the spans of each run to a collector once it has ended, from its log: so they are whole whatever processes it was
 * worked on by, and a run at work pays nothing for them. What fails here disturbs no run.
 */
export class TraceExporter {
  readonly #settings: TraceExporterOptions
  readonly #waiting: string[] = []
  readonly #stop = new AbortController()
  #runs: Pick<Runtime['runs'], 'events'> | undefined
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #hasReported = false

  constructor(settings: TraceExporterOptions) {
    this.#settings = settings
  }

  /** Hears from here on of runs that end. */
  connect(runtime: Pick<Runtime, 'runs' | 'onEvent'>): void {
    this.#runs = runtime.runs
    runtime.onEvent(
      (event) => {
        if (isTerminalEvent(event)) this.#add(event.runId)
      },
      { passive: true },
    )
  }

  /** Sends what waits, for five seconds at most; while the store is open. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#stop.abort(), CLOSE_MS)
    while (this.#waiting.length > 0 || this.#sending !== undefined) await this.#send()
    clearTimeout(timer)
    clearTimeout(this.#timer)
  }

  #add(runId: string): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#fail(`more than ${MOST_WAITING} runs wait to be sent, and further ones are left out`)
      return
    }
    this.#waiting.push(runId)
    this.#timer ??= setTimeout(() => void this.#send(), LINGER_MS).unref()
  }

  /** Never rejects. */
  #send(): Promise<void> {
    this.#sending ??= this.#sendNext().finally(() => {
      this.#sending = undefined
      this.#timer = undefined
      if (this.#waiting.length > 0 && !this.#stop.signal.aborted)
        this.#timer = setTimeout(() => void this.#send(), LINGER_MS).unref()
    })
    return this.#sending
  }

  async #sendNext(): Promise<void> {
    const { resource, clean } = this.#settings
    const next = this.#waiting.splice(0, MOST_RUNS)
    try {
      if (this.#stop.signal.aborted) throw new Error('there was no time left')
      const traces: RunTrace[] = []
      for (const runId of next) {
        const trace = await this.#read(runId)
        if (trace !== undefined) traces.push(trace)
      }
      if (traces.length > 0) await sendTraces(this.#settings, toOtlp(traces, resource, clean), this.#stop.signal)
    } catch (thrown) {
      this.#fail(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }

  /** Undefined where the caller records nothing, or the run is gone. */
  async #read(runId: string): Promise<RunTrace | undefined> {
    const { content } = this.#settings
    const events = []
    try {
      for await (const event of this.#runs?.events(runId, { deltas: false }) ?? []) events.push(event)
    } catch {
      return undefined
    }
    const [first] = events
    if (first?.type === 'run.created' && readTraceparent(first.data.traceparent)?.isSampled === false) return undefined
    return traceOf(runId, events, { content })
  }

  #fail(why: string): void {
    if (this.#hasReported) return
    this.#hasReported = true
    const { url, report } = this.#settings
    report(`traces are not sent to ${new URL(url).origin}: ${why}; further failures are not reported`)
  }
}
