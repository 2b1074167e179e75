/**
 * Builds what is published: types by the compiler, code as one bundle a package, the console as static files.
 *
 * Bundling is for start-up time: TypeBox alone is hundreds of files. What other packages must share stays outside.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { build } from 'vite'
import { isBundled, PACKAGES, readExports, root } from './packages.mjs'
import { findPublicTypes } from './public-types.mjs'

const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc')
for (const name of PACKAGES) rmSync(join(root, name, 'dist'), { recursive: true, force: true })
execFileSync(process.execPath, [tsc, '-b', root], { stdio: 'inherit' })

/**
 * Few files for what several entries of core use, since each further one costs an import half a millisecond. What a browser
 * loads has one of its own, without modules of Node.
 */
const CORE_CHUNKS = {
  groups: [
    {
      name: 'client',
      test: /core\/src\/(errors|text\/nearest|contracts\/(agent-id|event|message-text|missing-effect|prompt-of|run-(end|view)|usage-sum))\.ts$/,
      priority: 3,
    },
    { name: 'text', test: /core\/src\/text\//, priority: 2 },
    { name: 'shared', minShareCount: 2, priority: 1 },
  ],
}

for (const name of PACKAGES) {
  const main = join(name, 'src/main.ts')
  const sources = [...Object.values(readExports(name)), ...(existsSync(join(root, main)) ? [main] : [])]
  const bundle = await rolldown({
    input: Object.fromEntries(
      sources.map((source) => [source.slice(`${name}/src/`.length, -'.ts'.length), join(root, source)]),
    ),
    platform: 'node',
    external: (id) => !isBundled(id),
    logLevel: 'warn',
  })
  await bundle.write({
    dir: join(root, name, 'dist'),
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    ...(name === 'core' ? { codeSplitting: CORE_CHUNKS } : {}),
    // Two thirds of the time in which a package is imported are the compiler reading it. Names stay, for stack traces.
    minify: { compress: true, mangle: { toplevel: true, keepNames: true } },
  })
  await bundle.close()
  // The compiler here wants the types of every module; who installs the package gets those of its exports.
  const { hidden } = findPublicTypes(name)
  writeFileSync(join(root, name, 'dist', '.npmignore'), hidden.map((path) => `/${path}\n`).join(''))
}

await build({ configFile: join(root, 'server', 'console', 'vite.config.ts') })
