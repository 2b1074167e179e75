/**
 * Makes one file of a program that is started hundreds of times. Its first process that ends by itself leaves the machine
 * code of all that it called beside it, so that later ones compile next to nothing and start in half the time.
 */
import { copyFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { makeBuildFolder } from './build-tests.mjs'
import { keepPlace, root } from './packages.mjs'

/** The drivers of the stores, which are not made to be taken in, and what no such program calls. */
const LEFT_OUT = /^(libsql|pg|@anthropic-ai\/sdk)(\/|$)/

/**
 * @param file a file URL. The program awaits nothing at its top level, since only CommonJS can be kept compiled.
 * @returns arguments for `node` that run it; `removeBuild` removes it
 * @throws what the bundler throws when a file cannot be parsed
 */
export async function buildProgram(file) {
  const path = fileURLToPath(file)
  const target = join(makeBuildFolder(), basename(path).replace(/\.ts$/, '.cjs'))
  const bundle = await rolldown({
    input: path,
    platform: 'node',
    resolve: { conditionNames: ['@svc/source', 'import', 'node', 'default'], mainFields: ['module', 'main'] },
    external: LEFT_OUT,
    plugins: [{ name: 'own-place', transform: keepPlace }],
    logLevel: 'silent',
  })
  try {
    await bundle.write({
      file: target.replace(/\.cjs$/, '.code.cjs'),
      format: 'cjs',
      codeSplitting: false,
      dynamicImportInCjs: false,
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    })
  } finally {
    await bundle.close()
  }
  copyFileSync(join(root, '.tools', 'load-program.cjs'), target)
  return ['--conditions=@svc/source', target]
}
