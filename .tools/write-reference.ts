/**
 * Writes the reference pages from the specs and schemas that they describe: `npm run fix`, or with `--check` only says which
 * page is not as it would be written.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { commandLine } from './reference/command-line.ts'
import { components } from './reference/components.ts'
import { config } from './reference/config.ts'
import { errors } from './reference/errors.ts'
import { events } from './reference/events.ts'
import { http } from './reference/http.ts'
import { tools } from './reference/tools.ts'

/** By name in `docs/reference`. */
const PAGES: Readonly<Record<string, () => string>> = {
  'cli.md': commandLine,
  'components.md': components,
  'config.md': config,
  'errors.md': errors,
  'events.md': events,
  'http.md': http,
  'tools.md': tools,
}

const isCheck = process.argv.includes('--check')
const stale = Object.entries(PAGES).filter(([name, write]) => {
  const file = fileURLToPath(new URL(`../docs/reference/${name}`, import.meta.url))
  const text = write()
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return false
  if (!isCheck) writeFileSync(file, text)
  return true
})
for (const [name] of stale)
  console.log(isCheck ? `docs/reference/${name} is stale: npm run fix` : `wrote docs/reference/${name}`)
if (isCheck && stale.length > 0) process.exitCode = 1
