import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { estimateTokens } from '../src/text/estimate-tokens.ts'

const test = suite('estimateTokens')

/** Texts with the counts of two real tokenizers. */
const samples: { kind: string; o200k: number; cl100k: number; text: string }[] = JSON.parse(
  readFileSync(new URL('./fixtures/token-counts.json', import.meta.url), 'utf8'),
)

for (const { kind, o200k, cl100k, text } of samples) {
  test(`is within a fifth of two real tokenizers on ${kind}: "${text.slice(0, 20).replaceAll('\n', ' ')}"`, () => {
    const tokens = estimateTokens(text)
    // On scripts far from Latin the two differ by half and more: there no number is close to both, so it lies between.
    const isFar = kind === 'CJK and other scripts'
    const low = 0.8 * (isFar ? Math.min(o200k, cl100k) : Math.max(o200k, cl100k))
    const high = 1.2 * (isFar ? Math.max(o200k, cl100k) : Math.min(o200k, cl100k))
    assert.ok(tokens >= low && tokens <= high, `${tokens} instead of ${o200k} or ${cl100k}`)
  })
}

test('beats characters divided by four on the samples as a whole', () => {
  const error = (estimate: (text: string) => number): number =>
    samples.reduce((sum, { text, o200k }) => sum + Math.abs(estimate(text) - o200k) / o200k, 0) / samples.length
  assert.ok(error(estimateTokens) < 0.6 * error((text) => text.length / 4))
})

test('is 0 for nothing, a whole number for anything, and hardly more than the bytes of the text', () => {
  assert.is(estimateTokens(''), 0)
  const anyText = fc.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 100 }))
  fc.assert(
    fc.property(anyText, (text) => {
      const tokens = estimateTokens(text)
      assert.ok(Number.isInteger(tokens) && tokens >= 0)
      assert.ok(tokens <= 2 + 2.4 * Buffer.byteLength(text))
      if (/\S/.test(text)) assert.ok(tokens >= 1)
    }),
    { numRuns: process.env.SVC_NIGHTLY ? 2000 : 500 },
  )
})

test('never falls when text is added at the end', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 30 }), (text, more) => {
      assert.ok(estimateTokens(`${text}\n${more}`) >= estimateTokens(text))
    }),
  )
})

test('reads a million characters of any one kind', () => {
  for (const unit of ['a', 'aB', '1', ' ', '\n', '=', '漢', 'é', 'я', '\u{1f600}', 'a1 ', '\u0000']) {
    assert.ok(estimateTokens(unit.repeat(1_000_000 / unit.length)) > 100, unit)
  }
})

test.run()
