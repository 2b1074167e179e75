/**
 * Builds what is published: types by the compiler, code as one bundle a package, the console as static files.
 *
 * Bundling is for start-up time: TypeBox alone is hundreds of files. What other packages must share stays outside.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules, createRequire, isBuiltin } from 'node:module'
import { join, relative } from 'node:path'
import { rolldown } from 'rolldown'
import { esmExternalRequirePlugin } from 'rolldown/plugins'
import { build } from 'vite'
import { isBundled, PACKAGES, readExports, root } from './packages.mjs'
import { findPublicTypes } from './public-types.mjs'

const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc')
for (const name of PACKAGES) rmSync(join(root, name, 'dist'), { recursive: true, force: true })
execFileSync(process.execPath, [tsc, '-b', root], { stdio: 'inherit' })

/**
 * Few files for what several entries use, since each further one costs an import half a millisecond. What a browser
 * loads, which is the client entry with all that it imports, has one of its own, as have the version, which is all that
 * `svc --version` loads, and what the command line loads before it keeps compiled code.
 */
const CHUNKS = {
  core: [
    { name: 'version', test: /core\/src\/runtime\/version\.ts$/, priority: 4 },
    { name: 'client', test: /core\/src\/client\.ts$/, priority: 3 },
    { name: 'text', test: /core\/src\/text\//, priority: 2 },
    { name: 'shared', minShareCount: 2, priority: 1 },
  ],
  cli: [
    { name: 'output', test: /cli\/src\/frame\/output\.ts$/, priority: 3 },
    { name: 'frame', test: /cli\/src\/frame\//, minShareCount: 2, priority: 2 },
    { name: 'screen', test: /cli\/src\/(?:ask|input|progress|render|terminal)\//, minShareCount: 2, priority: 1 },
  ],
}

/** svc gives cosmiconfig loaders of its own; in place of the others, which name `typescript`, it gets some that load nothing. */
const LOADERS = ['loadJs', 'loadJsSync', 'loadTs', 'loadTsSync', 'loadJson', 'loadYaml']
const withoutLoaders = {
  name: 'without-loaders',
  load: (id) =>
    id.endsWith('/cosmiconfig/dist/loaders.js')
      ? LOADERS.map((name) => `export const ${name} = () => undefined`).join('\n')
      : undefined,
}

/** A bundled module of CommonJS gets what it requires of Node by an import, in a module that rolldown names so. */
const BUILTINS = builtinModules.flatMap((id) => [id, `node:${id}`])
const isOfNode = (id) => isBuiltin(id) || id.startsWith('builtin:esm-external-require-')

for (const name of PACKAGES) {
  const main = join(name, 'src/main.ts')
  const sources = [...Object.values(readExports(name)), ...(existsSync(join(root, main)) ? [main] : [])]
  const bundle = await rolldown({
    input: Object.fromEntries(
      sources.map((source) => [source.slice(`${name}/src/`.length, -'.ts'.length), join(root, source)]),
    ),
    // `node` would give a bundle a `require` of its own, which neither a browser nor a bundle of CommonJS can make.
    platform: 'neutral',
    resolve: { conditionNames: ['node', 'import', 'default'], mainFields: ['module', 'main'] },
    external: (id, importer) => !isBundled(id) && !isOfNode(id) && !importer?.includes('/node_modules/'),
    plugins: [withoutLoaders, esmExternalRequirePlugin({ external: BUILTINS })],
    logLevel: 'warn',
  })
  const { output } = await bundle.write({
    dir: join(root, name, 'dist'),
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    ...(CHUNKS[name] && { codeSplitting: { groups: CHUNKS[name] } }),
    // Comments and what is never called are not worth reading at each start. Lines and names stay: an error that nobody catches
    // is printed with its line, which would be all of the file, and says which variable is undefined.
    comments: { jsdoc: false },
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
  })
  await bundle.close()
  writeFileSync(join(root, name, 'dist', 'third-party.txt'), readLicenses(output))
  // The compiler here wants the types of every module; who installs the package gets those of its exports.
  const { hidden } = findPublicTypes(name)
  writeFileSync(join(root, name, 'dist', '.npmignore'), hidden.map((path) => `/${path}\n`).join(''))
}

/** The licences of the packages that a bundle has taken in, each under its path: they ask for that. */
function readLicenses(output) {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds).join('\n')
  const folders = [...new Set(modules.match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/gm))].sort()
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  const licenses = files.filter((file) => /\/licen[cs]e(?:\.(?:md|txt))?$/i.test(file))
  return licenses.map((file) => `${relative(root, file)}\n\n${readFileSync(file, 'utf8')}\n`).join('')
}

await build({ configFile: join(root, 'server', 'console', 'vite.config.ts') })
