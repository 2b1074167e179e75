import { MOST_CHANGE_CHARS, MOST_TAP_CHANGES, type StageTap } from '../../contracts/log/stage-tap.ts'
import type { Usage } from '../../contracts/model/usage.ts'
import type { Change } from '../../contracts/run/change.ts'
import { type Redactor, redactTexts } from '../../support/secrets.ts'
import { findChanges } from '../../text/find-changes.ts'

/** The run as far as a record of its taps needs it. */
interface Recorded {
  /** What the taps of the stage that is being asked did so far. */
  readonly tapped: StageTap[]
  readonly view: { readonly usage: Pick<Usage, 'inputTokens' | 'outputTokens'> }
}

/** One call of a tap of a stage, from before it is asked. */
export class TapRecord {
  readonly #run: Recorded
  readonly #used: number
  readonly #answer: unknown

  constructor(run: Recorded, answer: unknown) {
    this.#run = run
    this.#used = tokensOf(run)
    this.#answer = answer
  }

  /**
   * Adds what came of it to the run's.
   *
   * @param after the other answer that it returned
   */
  end({ plugin, name }: { plugin: string; name: string }, durationMs: number, redact: Redactor, after?: unknown): void {
    const changes = this.#changes(after, redact)
    const tokens = tokensOf(this.#run) - this.#used
    const tap: StageTap = { plugin, tap: name, durationMs, answered: after !== undefined }
    if (tokens > 0) tap.tokens = tokens
    if (changes.length > 0) tap.changes = changes
    this.#run.tapped.push(tap)
  }

  #changes(after: unknown, redact: Redactor): Change[] {
    if (this.#answer === undefined || after === undefined) return []
    const changes = findChanges('', this.#answer, after).slice(0, MOST_TAP_CHANGES)
    // Redacted before it is cut: nobody finds half a secret.
    return redactTexts(changes, redact).map(({ path, before, after }) => ({
      path: String(cut(path)),
      before: cut(before),
      after: cut(after),
    }))
  }
}

function tokensOf({ view }: Recorded): number {
  const { inputTokens, outputTokens } = view.usage
  return inputTokens + outputTokens
}

/** Undefined for what JSON cannot hold. */
function toText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function cut(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (toText(value) ?? '')
  if (text.length <= MOST_CHANGE_CHARS) return value
  return `${text.slice(0, MOST_CHANGE_CHARS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
