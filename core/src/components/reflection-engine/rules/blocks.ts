import type { Call } from '../../../text/calls/call.ts'
import { toPlainText } from '../../../text/calls/call.ts'
import { evidenceOf, type Rule } from './rule.ts'

/** A fenced block is held where one call shows or wrote each of its lines, one after the other. */
export const blocks: Rule = {
  id: 'blocks',
  hint: 'Show a file or an output as the tools gave it.',
  hold({ block }, material) {
    if (block === undefined) return undefined
    const wanted = plain(block.join('\n'))
    const call = material.calls.findLast(
      (one) => one.succeeded && material.once(`block ${one.index}`, () => textOf(one)).includes(wanted),
    )
    return call && { verdict: 'supported', kind: 'quote', evidence: [evidenceOf(call)] }
  },
}

const textOf = (call: Call): string => plain(`${call.text}\n${toPlainText(call.args)}`)

/** White space at the ends of lines, empty lines and signs of a difference do not matter. */
const plain = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
