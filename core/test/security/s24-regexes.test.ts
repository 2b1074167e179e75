/** S24: a text takes a regular expression no more time than its length accounts for. `npm run check` asks this of each in the source. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findRegexes } from '../../../.tools/find-regexes.mjs'
import { findSlowText } from '../../../.tools/slow-regex.mjs'

const test = suite('S24 regular expressions')

/** What stood in the source once, and what stands there now. */
const PAIRS: [slow: RegExp, linear: RegExp][] = [
  [/[.,;:]+$/, /(?<![.,;:])[.,;:]+$/],
  [/\s+and\s+/, /(?<!\s)\s+and\s+/],
  [/^,?\s*(?:and|,)?\s*$/, /^,?\s*(?:(?:and|,)\s*)?$/],
  [/(?:[\w@.~-]+\/)+[\w@.-]*/, /(?:[\w@.~-]{1,200}\/)+[\w@.-]*/],
  [/<[^>]*>/g, /<[^<>]*>/g],
  [/\b(?:about|on)\b.*$/i, /\b(?:about|on)\b[\s\S]*$/i],
  [/^\s*- \[.*$/gm, /^[^\S\n]*- \[.*$/gm],
  [/^(?:\[!?\[[^\]]*\]?\([^)]*\)\]?\s*)+$/, /^(?:\[!?\[[^\][]*\]?\([^()]*\)\]?\s*)+$/],
  [/^(a|a)*$/, /^a*$/],
]

test('what takes the square of the time, or doubles it with each character, is found, and what does not is let be', () => {
  for (const [slow, linear] of PAIRS) {
    assert.ok(findSlowText(slow.source, slow.flags), String(slow))
    assert.is(findSlowText(linear.source, linear.flags), undefined, String(linear))
  }
})

test('expressions that are put together of constants are found too', () => {
  const found = findRegexes('plugins/src/offline/read/expressions.ts').map(({ source }) => source)
  assert.ok(found.some((source) => source.includes('sqrt|abs')))
})

test.run()
