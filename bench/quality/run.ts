/**
 * How good are the components on public data? `npm run bench:quality -- --data PATH [--json FILE] [name…]`
 *
 * One script a component, named in COMPONENTS below; each is a module `bench/quality/<name>.ts` with
 *
 *     export default async function measure(data: DataFolder): Promise<Row[]>
 *
 * `DataFolder` (lib/data.ts) reads JSON, JSON Lines and gzip by file name; `Row` (lib/row.ts) is one line of the table.
 * A script computes its baseline in the same run where that is cheap, gives a bootstrap interval over the set's unit
 * (lib/bootstrap.ts), cross-validates whatever it learns (lib/folds.ts), prints nothing itself (put remarks into
 * `row.note`), and throws `MissingData` (data.load does) where a file is not there: its rows are then left out and named.
 * Random numbers come from a fixed seed, so two runs print the same table.
 *
 * `--json FILE` writes `[{ component, measure, n, baseline, value, low, high, aim, met }]`. Without the data folder it
 * says so and exits 0: nothing in the project needs it.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { DataFolder, MissingData } from './lib/data.ts'
import { isMet, type Row } from './lib/row.ts'
import { toQualityTable } from './lib/table.ts'

/** The scripts, in the order of the table; add yours here. */
const COMPONENTS = [
  'analyzer',
  'allocator',
  'estimator',
  'orchestrator',
  'memory',
  'reflection',
  'truth',
  'consensus',
  'inspector',
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, json: { type: 'string' } },
})
const folder = values.data ?? process.env.SVC_QUALITY_DATA ?? ''
const unknown = positionals.filter((name) => !COMPONENTS.includes(name))

if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; known: ${COMPONENTS.join(', ')}`)
  process.exitCode = 2
} else if (folder === '' || !existsSync(folder)) {
  console.log(
    folder === ''
      ? 'no data folder given: pass --data PATH; nothing measured'
      : `no data at ${folder}: nothing measured`,
  )
  if (values.json !== undefined) writeFileSync(values.json, '[]\n')
} else await measureAll(new DataFolder(folder), positionals.length > 0 ? positionals : COMPONENTS, values.json)

async function measureAll(data: DataFolder, names: readonly string[], json: string | undefined): Promise<void> {
  const rows: Row[] = []
  for (const name of names) {
    const script = new URL(`./${name}.ts`, import.meta.url)
    if (!existsSync(script)) {
      console.log(`${name}: has no script yet`)
      continue
    }
    const started = performance.now()
    try {
      const module: { default: (data: DataFolder) => Promise<Row[]> } = await import(script.href)
      rows.push(...(await module.default(data)))
      console.log(`${name}: measured in ${((performance.now() - started) / 1000).toFixed(1)} s`)
    } catch (thrown) {
      if (thrown instanceof MissingData) console.log(`${name}: left out, ${thrown.message}`)
      else {
        console.error(`${name}: failed`, thrown)
        process.exitCode = 1
      }
    }
  }
  console.log(`\n${toQualityTable(rows)}`)
  if (json !== undefined) {
    const plain = rows.map((row) => {
      const { component, measure, n, baseline, value, low, high, aim } = row
      return { component, measure, n, baseline, value, low, high, aim, met: isMet(row) }
    })
    writeFileSync(json, `${JSON.stringify(plain, null, 2)}\n`)
  }
}
