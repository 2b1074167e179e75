/** How much of a run's input comes from the vendors' caches? `npm run bench:caching` */
import { toTable } from '../table.mjs'
import { measure, SHAPES, VENDORS } from './measure.ts'

const rows: string[][] = []
for (const shape of SHAPES) {
  const shares: string[] = []
  let calls = 0
  for (const vendor of VENDORS) {
    const measured = await measure(vendor, shape)
    const { inputTokens, readTokens, usage } = measured
    if (usage.cachedTokens !== readTokens || usage.inputTokens !== inputTokens)
      throw new Error(
        `${vendor.model}: the run says ${JSON.stringify(usage)} of ${inputTokens} and ${readTokens} tokens`,
      )
    calls = measured.calls
    shares.push(`${((100 * readTokens) / inputTokens).toFixed(1)} % of ${inputTokens}`)
  }
  rows.push([shape.name, String(calls), ...shares])
}
const heads = VENDORS.map(({ format, model }) => `${format}, ${model}`)
console.log(toTable(['input read from the cache', 'calls', ...heads], rows, [1, 2, 3, 4, 5, 6]).join('\n'))
