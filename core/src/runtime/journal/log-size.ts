import { LimitError } from '../../errors.ts'

/** How long the log of one run may get. */
export interface LogLimits {
  events: number
  bytes: number
}

export const LOG_LIMITS: LogLimits = { events: 50_000, bytes: 52_428_800 }

/** Share of a limit at which a warning is given. */
const WARN_AT = 0.2

export interface LogSizeOptions {
  limits: LogLimits
  onLong(message: string): void
  /** Called once; the events of the end are still logged. */
  onFull(error: LimitError): void
}

/** Watches how long the log of a run gets: once with a warning, then with the end of the run. */
export class LogSize {
  readonly #settings: LogSizeOptions
  #bytes = 0
  #said: 'nothing' | 'long' | 'full' = 'nothing'

  constructor(settings: LogSizeOptions) {
    this.#settings = settings
  }

  /** @param seq number of the event */
  add(seq: number, data: object): void {
    this.#bytes += sizeOf(data)
    if (this.#said === 'full') return
    const { limits, onLong, onFull } = this.#settings
    const share = Math.max(seq / limits.events, this.#bytes / limits.bytes)
    if (share < WARN_AT) return
    const size = `${seq} events, about ${Math.ceil(this.#bytes / 1024)} KiB`
    const most = `at most ${limits.events} events (server.limits.runEvents) and ${limits.bytes} bytes (.runBytes)`
    if (share >= 1) {
      this.#said = 'full'
      onFull(new LimitError('max_steps', `the log of the run is full: ${size}; it may have ${most}`))
    } else if (this.#said === 'nothing') {
      this.#said = 'long'
      onLong(`the log of the run gets long: ${size}; it may have ${most}, and the run ends there`)
    }
  }
}

/** About how many bytes a value takes as JSON: exact for ASCII texts without escapes, which make up a long log. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 5
  let size = 2
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item) + 1
  else for (const name in value) size += name.length + 4 + sizeOf((value as Record<string, unknown>)[name])
  return size
}
