/**
 * Prints the shape of the code: sizes, exports, levels of the imports, and the walk of one run.
 *
 * Usage: node .tools/shape.mjs [repository]
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { isBundled, PACKAGES } from './packages.mjs'

const root = resolve(process.argv[2] ?? '.')

for (const name of PACKAGES) printSizes(`${name}/src`)
printSizes('core/src/runtime')
await printExports()
for (const folder of ['core/src/runtime', 'core/src', 'plugins/src']) printImports(folder)
printWalk()

function sources(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .sort()
}

function printSizes(folder) {
  const sizes = sources(folder)
    .map((file) => [readFileSync(join(root, file), 'utf8').split('\n').length - 1, file])
    .sort((a, b) => a[0] - b[0])
  const lines = sizes.reduce((sum, [size]) => sum + size, 0)
  const [largest, file] = sizes.at(-1)
  const above = sizes.filter(([size]) => size > 300).length
  const median = sizes[sizes.length >> 1][0]
  console.log(
    `${folder}: ${sizes.length} files, ${lines} lines, median ${median}, largest ${largest} (${file}), ${above} above 300`,
  )
}

async function printExports() {
  const { exports } = JSON.parse(readFileSync(join(root, 'core/package.json'), 'utf8'))
  for (const [subpath, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue
    const input = join(root, 'core', target['@svc/source'])
    const bundle = await rolldown({ input, platform: 'node', external: (id) => !isBundled(id), logLevel: 'silent' })
    const { output } = await bundle.generate({ format: 'esm' })
    await bundle.close()
    const [entry] = output.filter((chunk) => chunk.isEntry)
    console.log(`@svc/core${subpath.slice(1)}: ${entry.exports.length} values`)
  }
}

/** Levels: files on the longest path of imports inside the folder, types included. There are no cycles: biome refuses them. */
function printImports(folder) {
  const files = sources(folder)
  const known = new Set(files)
  const targets = new Map(
    files.map((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const names = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, name]) => name)
      return [file, names.map((name) => relative('.', join(dirname(file), name))).filter((name) => known.has(name))]
    }),
  )
  const depths = new Map()
  const depthOf = (file) => {
    if (!depths.has(file)) depths.set(file, 1 + Math.max(0, ...targets.get(file).map(depthOf)))
    return depths.get(file)
  }
  const edges = [...targets.values()].reduce((sum, to) => sum + to.length, 0)
  console.log(`${folder}: ${edges} imports inside, ${Math.max(...files.map(depthOf))} levels`)
}

function printWalk() {
  const probe = fileURLToPath(new URL('shape-walk.mjs', import.meta.url))
  const tsx = createRequire(import.meta.url).resolve('tsx')
  const switches = ['--conditions=@svc/source', '--import', tsx, probe, root]
  const env = { PATH: process.env.PATH, HOME: join(root, 'no-home') }
  const output = execFileSync(process.execPath, switches, { cwd: root, env, encoding: 'utf8' })
  const { status, reachesRun, frames } = JSON.parse(output.slice(output.lastIndexOf('\n{') + 1))
  const files = new Set(frames.map(({ file }) => file))
  const end = reachesRun ? 'client.run' : 'where the trail is lost'
  console.log(`one run (${status}): ${frames.length} frames in ${files.size} files from provider.generate to ${end}`)
  let before = ''
  for (const { file, name } of frames) {
    console.log(`  ${name}${file === before ? '' : `  ${file}`}`)
    before = file
  }
}
