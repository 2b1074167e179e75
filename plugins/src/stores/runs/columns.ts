import { RunError, SvcError } from '@svc/core'
import { wholeText } from '../seal.ts'
import { isDamage, type Row, textOf } from '../sqlite.ts'

/** What SQLite would cut off, or keep as something else, and what begins as an escaped text does. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what the driver cuts texts at
const UNSAFE = /\u0000|\p{Cs}|^"/u

/** A text as it can be looked up: the driver ends texts at a NUL and changes lone surrogates. */
export const toKey = (text: string): string => (UNSAFE.test(text) ? JSON.stringify(text) : text)

/** The text of a key. */
export function fromKey(key: unknown): string {
  const text = textOf(key)
  return text.startsWith('"') ? JSON.parse(text) : text
}

/** Lower case, for a search in any case. */
export const toWords = (text: string): string => text.toLowerCase().replace(/\0|\p{Cs}/gu, '\ufffd')

/** What a row that is not as it was written means for its run. */
export const corrupt = (runId: string, what: string, cause?: unknown): RunError =>
  new RunError(
    'log_corrupt',
    `run ${runId}: ${what} is damaged: it cannot be read as a whole, or go on. Other runs are not affected`,
    {
      ...(cause === undefined ? {} : { cause }),
    },
  )

export const isCorrupt = (thrown: unknown): boolean => SvcError.isInstance(thrown) && thrown.code === 'log_corrupt'

/**
 * The body of a row that is as it was written.
 *
 * @throws RunError `log_corrupt`
 */
export function checked(row: Row, runId: string, what: string): string {
  const body = wholeText(row)
  if (body === undefined) throw corrupt(runId, what)
  return body
}

/** Reads of one run: a page that SQLite cannot read is damage to this run alone. */
export function guarded<T>(runId: string, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    if (isDamage(thrown)) throw corrupt(runId, 'a page of its file', thrown)
    if (thrown instanceof SyntaxError) throw corrupt(runId, 'a record', thrown)
    throw thrown
  }
}

/** A run that this svc cannot read. */
export const newerFormat = (runId: string, format: unknown): SvcError =>
  new SvcError('store_unavailable', `run ${runId} was written by a newer svc (journal format ${format}): update svc`, {
    retryable: false,
  })
