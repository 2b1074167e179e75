/**
 * Runs the benches and prints one table.
 *
 * Usage: npm run bench [-- part-of-name …] [-- --json FILE]
 *
 * What is measured is the build; it is made first where it is missing.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { toTable } from './table.mjs'

const BENCHES = [
  'pipeline-overhead',
  'pipeline-crowd',
  'pipeline-alone',
  'pipeline-memory',
  'components-alone',
  'long-plans',
  'version-start',
  'import-core',
  'install-size',
  'sandbox',
]
const ROOT = fileURLToPath(new URL('..', import.meta.url))

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'string' } } })
const wanted = BENCHES.filter((name) => positionals.length === 0 || positionals.some((part) => name.includes(part)))
if (wanted.length === 0) {
  console.error(`no bench matches ${positionals.join(', ')}: there are ${BENCHES.join(', ')}`)
  process.exit(2)
}
if (!['core', 'plugins', 'sdk', 'cli'].every((name) => existsSync(`${ROOT}/${name}/dist`))) {
  execFileSync('npm', ['run', 'build'], { cwd: ROOT, stdio: 'inherit' })
}

const rows = []
for (const name of wanted) {
  const { measure } = await import(`./${name}.mjs`)
  rows.push(...(await measure()).map((row) => ({ bench: name, ...row })))
}
print(rows)
if (values.json !== undefined) {
  const machine = { node: process.version, cores: availableParallelism(), cpu: cpus()[0]?.model ?? 'unknown' }
  await writeFile(values.json, `${JSON.stringify({ machine, rows }, undefined, 2)}\n`)
}

function print(measured) {
  const digits = (number) => (number === undefined ? '' : number >= 100 ? number.toFixed(0) : number.toFixed(2))
  const lines = measured.map(({ name, value, unit, peer, ratio, spread, aim, of, met }) => [
    name,
    digits(value),
    unit,
    digits(peer),
    digits(ratio),
    spread === undefined ? '' : spread.map(digits).join('-'),
    aim === undefined ? '' : `≤ ${aim}${of === 'ratio' ? ' ×' : ''}`,
    met === undefined ? '' : met ? 'yes' : 'NO',
  ])
  const head = ['name', 'value', 'unit', 'peer', 'ratio', 'quartiles', 'aim', 'met']
  console.log(toTable(head, lines, [1, 3, 4]).join('\n'))
}
