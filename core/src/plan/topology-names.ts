import { TOPOLOGIES } from '../contracts/words.ts'
import { nearest } from '../text/nearest.ts'

/**
 * What is wrong with a word that names no topology.
 *
 * @param own names that plugins have registered
 * @param before what may be said beside topologies, such as `AUTO`
 */
export function describeUnknown(word: string, own: readonly string[], ...before: string[]): string {
  const known = [...before, ...TOPOLOGIES, ...own]
  const guess = nearest(word, known)
  return `must be one of ${known.join(', ')}, not "${word}"${guess === undefined ? '' : `: did you mean ${guess}?`}`
}
