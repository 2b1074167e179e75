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
  /** The answer before as text, of a plugin that may change it in place. */
  readonly #text: string | undefined
  readonly #isTrusted: boolean

  /** @param isTrusted whether the plugin is one of svc's own: they change no answer in place */
  constructor(run: Recorded, answer: unknown, isTrusted: boolean) {
    this.#run = run
    this.#used = tokensOf(run)
    this.#answer = answer
    this.#isTrusted = isTrusted
    this.#text = isTrusted || answer === undefined ? undefined : toText(answer)
  }

  /**
   * Adds what came of it to the run's.
   *
   * @param isNew whether it returned another answer
   * @param after the answer that stands now
   */
  end(
    { plugin, name }: { plugin: string; name: string },
    durationMs: number,
    redact: Redactor,
    isNew = false,
    after?: unknown,
  ): void {
    const changes = this.#changes(isNew, after, redact)
    const tokens = tokensOf(this.#run) - this.#used
    const tap: StageTap = { plugin, tap: name, durationMs, answered: isNew || changes.length > 0 }
    if (tokens > 0) tap.tokens = tokens
    if (changes.length > 0) tap.changes = changes
    this.#run.tapped.push(tap)
  }

  #changes(isNew: boolean, after: unknown, redact: Redactor): Change[] {
    const changes = this.#differences(isNew, after).slice(0, MOST_TAP_CHANGES)
    // Redacted before it is cut: nobody finds half a secret.
    return redactTexts(changes, redact).map(({ path, before, after }) => ({
      path: String(cut(path)),
      before: cut(before),
      after: cut(after),
    }))
  }

  #differences(isNew: boolean, after: unknown): Change[] {
    if (this.#answer === undefined || after === undefined) return []
    if (this.#isTrusted) return isNew ? findChanges('', this.#answer, after) : []
    const text = toText(after)
    if (this.#text === undefined || text === undefined || text === this.#text) return []
    return findChanges('', JSON.parse(this.#text), JSON.parse(text))
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
