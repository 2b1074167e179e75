import { type Redactor, redactShapes } from '@svc/core'

/** Longest text of one attribute, in characters. */
const LONGEST = 16_384

/**
 * For texts that leave the process to be looked at: what is known to be secret is taken out, with what looks like a key, and
 * what is too long is cut.
 *
 * @param longest of a text, in characters; default 16384
 */
export function createCleaner(redact: Redactor, longest = LONGEST): Redactor {
  return (text) => {
    const clean = redactShapes(redact(text))
    return clean.length > longest ? `${clean.slice(0, longest)}…` : clean
  }
}
