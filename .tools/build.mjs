/**
 * Builds what is published: types by the compiler, code as one bundle a package.
 *
 * Bundling is for start-up time: TypeBox alone is hundreds of files. What other packages must share stays outside.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
const PACKAGES = ['core', 'plugins', 'sdk', 'cli']
/** Small leaves that are worth more inside; everything else stays a dependency. */
const BUNDLED = new Set(['typebox', 'stemmer', 'eventemitter3', 'cac', 'picocolors', 'ignore'])

const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc')
for (const name of PACKAGES) rmSync(join(root, name, 'dist'), { recursive: true, force: true })
execFileSync(process.execPath, [tsc, '-b', root], { stdio: 'inherit' })

for (const name of PACKAGES) {
  const folder = join(root, name)
  const { exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const sources = Object.values(exports).flatMap((target) => target['@svc/source'] ?? [])
  const input = Object.fromEntries(
    [...sources, ...(existsSync(join(folder, 'src/main.ts')) ? ['./src/main.ts'] : [])].map((source) => [
      source.slice('./src/'.length, -'.ts'.length),
      join(folder, source),
    ]),
  )
  const bundle = await rolldown({ input, platform: 'node', external: isExternal, logLevel: 'warn' })
  await bundle.write({
    dir: join(folder, 'dist'),
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    minify: false,
  })
  await bundle.close()
}

function isExternal(id) {
  if (id.startsWith('.') || id.startsWith('/')) return false
  if (id.startsWith('node:')) return true
  const name = id.startsWith('@') ? id.split('/').slice(0, 2).join('/') : id.split('/')[0]
  return !BUNDLED.has(name)
}
