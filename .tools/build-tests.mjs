/**
 * Bundles test files, and what they start as processes, so that a test does not compile 700 files before its first line.
 *
 * One build for all: code that several files use stands in shared chunks. Paths that a module derives from its own place
 * (`import.meta.url`) are those of its source.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { isBundled, keepPlace, PACKAGES, readExports, root } from './packages.mjs'

/** Few files, since looking each one up costs a process more than compiling what it does not call. */
const CHUNKS = {
  groups: ['core', 'plugins'].map((name, index) => ({
    name,
    test: new RegExp(`/${name}/src/`),
    minShareCount: 2,
    priority: 2 - index,
  })),
}

const CACHE = join(root, 'node_modules', '.cache', 'svc-tests')

/**
 * @param files test files, relative to the repository
 * @returns the folder in which each file stands under its own path with the ending `.js`, and what was wrong. A wrong
 *   import fails when it is reached, so that it breaks the tests that need it and no others.
 * @throws what the bundler throws when a file cannot be parsed
 */
export async function buildTests(files) {
  const folder = makeBuildFolder()
  try {
    await bundleTests([...files, ...startedByTests()], folder, { sourcemap: true })
    return { folder, problem: undefined }
  } catch (error) {
    const lenient = { sourcemap: true, shimMissingExports: true, plugins: [{ name: 'lenient', resolveId: leaveOut }] }
    await bundleTests([...files, ...startedByTests()], folder, lenient)
    return { folder, problem: error }
  }
}

/**
 * Bundles files anew with some of the source changed, in a folder of its own that the caller removes. Programs that they
 * start are not among them.
 *
 * @param change gets the text of each of our modules and its path in the repository; undefined leaves it as it is
 */
export async function buildChanged(files, change) {
  const folder = join(makeBuildFolder(), `changed-${++changedBuilds}`)
  const transform = (code, id) => (id.includes('node_modules') ? undefined : change(code, relative(root, id)))
  await bundleTests(files, folder, { plugins: [{ name: 'changed', transform }] })
  return folder
}

let changedBuilds = 0

async function bundleTests(files, folder, { plugins = [], sourcemap = false, shimMissingExports = false }) {
  const modules = Object.fromEntries(PACKAGES.map((name) => [name, readExports(name)]))
  const sources = [...files, ...Object.values(modules).flatMap((targets) => Object.values(targets))]
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(sources.map((file) => [file.replace(/\.ts$/, ''), join(root, file)])),
    platform: 'node',
    resolve: { conditionNames: ['@svc/source', 'import', 'node', 'default'], mainFields: ['module', 'main'] },
    external: (id) => !id.startsWith('@svc/') && !isBundled(id),
    plugins: [...plugins, { name: 'own-place', transform: keepPlace }],
    shimMissingExports,
    logLevel: 'silent',
  })
  try {
    await bundle.write({
      dir: folder,
      format: 'esm',
      sourcemap,
      codeSplitting: CHUNKS,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
    })
  } finally {
    await bundle.close()
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const name of PACKAGES) writePackage(folder, name, modules[name])
}

/** Of this process, until `removeBuild`. */
export function makeBuildFolder() {
  forgetOld()
  const folder = join(CACHE, String(process.pid))
  mkdirSync(folder, { recursive: true })
  return folder
}

export function removeBuild() {
  rmSync(join(CACHE, String(process.pid)), { recursive: true, force: true })
}

/** Builds of runs that were killed. */
function forgetOld() {
  mkdirSync(CACHE, { recursive: true })
  for (const name of readdirSync(CACHE)) {
    try {
      process.kill(Number(name), 0)
    } catch (error) {
      if (error.code === 'ESRCH') rmSync(join(CACHE, name), { recursive: true, force: true })
    }
  }
}

/** Programs that tests run in processes of their own. */
function startedByTests() {
  const inFolders = (parts) =>
    parts.flatMap((part) =>
      readdirSync(join(root, part), { recursive: true })
        .filter((name) => /^[^.].*(?<!\.d)\.ts$/.test(name) && !name.includes('node_modules'))
        .map((name) => join(part, name)),
    )
  return [
    'cli/src/main.ts',
    ...PACKAGES.map((name) => join(name, 'test', 'fixtures'))
      .filter(isFolder)
      .flatMap((part) => inFolders([part])),
    ...inFolders(['examples']).filter((file) => /^examples\/[^/]+\/main\.ts$/.test(file)),
  ]
}

function isFolder(path) {
  try {
    return readdirSync(join(root, path)).length > 0
  } catch {
    return false
  }
}

/** An import that leads nowhere stays in the code. */
async function leaveOut(id, importer) {
  if (importer === undefined || !(id.startsWith('.') || id.startsWith('@svc/'))) return null
  return (await this.resolve(id, importer, { skipSelf: true })) ?? { id: join(dirname(importer), id), external: true }
}

/** Makes `import('@svc/core')` at run time lead to the copy in the build. */
function writePackage(folder, name, targets) {
  const place = join(folder, 'node_modules', '@svc', name)
  mkdirSync(place, { recursive: true })
  const exports = {}
  Object.entries(targets).forEach(([subpath, source], index) => {
    const file = `./${index}.js`
    exports[subpath] = file
    const target = relative(place, join(folder, source.replace(/\.ts$/, '.js')))
    writeFileSync(join(place, file), `export * from ${JSON.stringify(target)}\n`)
  })
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: `@svc/${name}`, type: 'module', exports }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log((await buildTests(process.argv.slice(2))).folder)
