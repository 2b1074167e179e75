/** How much of a run's input is read from a cache that bills as the vendors say that theirs do. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { measure, SHAPES, VENDORS } from '../caching/measure.ts'

const test = suite('input from caches')

const [agent, busyAgent, , , material] = SHAPES

for (const vendor of VENDORS) {
  for (const shape of [agent, busyAgent, material]) {
    if (shape === undefined) throw new Error('a shape is missing')
    test(`${vendor.format}, ${vendor.model}: ${shape.name} read four fifths of their input from the cache`, async () => {
      const { inputTokens, readTokens, writtenTokens, usage } = await measure(vendor, shape)
      assert.ok(readTokens >= 0.8 * inputTokens, `${readTokens} of ${inputTokens} tokens`)
      assert.equal([usage.inputTokens, usage.cachedTokens], [inputTokens, readTokens])
      assert.is(usage.cacheWriteTokens ?? 0, writtenTokens)
    })
  }
}

test.run()
