import { ValidationError } from '../../errors.ts'

/**
 * Limits from which something counts as an issue.
 *
 * Repetition as in OpenHands' stuck detector, identical calls and streamed text as in gemini-cli's loop detection.
 */
export const THRESHOLDS = {
  /** Repeats of a cycle of identical calls and results. */
  repeatsWarn: 3,
  repeatsCritical: 4,
  /** Repeats when the call fails each time, and of two calls in turn. */
  repeatsErrorCritical: 3,
  /** Longest cycle looked for, in calls. */
  cyclePeriod: 4,
  /** Identical messages with nothing seen or done between. */
  monologue: 3,
  /** Messages that nearly repeat one of the last few, and how many of the last twelve may. */
  nearSimilarity: 0.5,
  nearWindow: 6,
  nearRepeatsWarn: 4,
  /** A tool's last calls that are looked at, and the share of errors that opens its circuit. */
  stormCalls: 6,
  stormErrorShare: 0.5,
  /** Tool errors of one agent in a row. */
  errorsInARow: 2,
  /** Turns without anything new. */
  stallWarnTurns: 5,
  stallCriticalTurns: 8,
  /** Share of new five-word sequences that makes a turn new. */
  stallNewShare: 0.1,
  /** Share of the budget spent over share of the work done. */
  burnWarn: 1.5,
  burnCritical: 2.5,
  /** Share of the budget below which burning is not looked at. */
  burnFromShare: 0.5,
  /** Streamed text: a chunk of this many characters, so often, at most so far apart. */
  chunkChars: 50,
  chunkRepeats: 10,
  chunkGapChars: 250,
  /** Turns without a further sighting that close an issue. */
  closeAfterTurns: 5,
} as const

export type Thresholds = { readonly [Name in keyof typeof THRESHOLDS]: number }

/**
 * The defaults with some changed.
 *
 * @throws ValidationError `validation_failed` for an unknown name or a value that is no positive number
 */
export function toThresholds(changed: Partial<Thresholds> = {}): Thresholds {
  for (const [name, value] of Object.entries(changed)) {
    if (!(name in THRESHOLDS)) {
      const known = Object.keys(THRESHOLDS).join(', ')
      throw new ValidationError('validation_failed', `thresholds.${name}: no such threshold, there are ${known}`)
    }
    if (typeof value !== 'number' || !(value > 0)) {
      throw new ValidationError('validation_failed', `thresholds.${name} is ${value}: must be a number above 0`)
    }
  }
  return { ...THRESHOLDS, ...changed }
}
