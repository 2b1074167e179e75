/** The packages as they are published: packed, unpacked outside the repository, bundled, and run. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isBuilt } from '../../.tools/pack.mjs'
import { type Installed, installPacked, link } from './fixtures/installed.ts'

const test = suite(`the packages as published${isBuilt() ? '' : ' (skipped: not built)'}`)
const whenBuilt = isBuilt() ? test : test.skip

const program = (options: string): string => `
import { ServiceClient } from '@svc/sdk'
const client = new ServiceClient({ provider: 'offline', env: {}, config: ${options} })
client.connect()
  .then(() => client.run('2+2'))
  .then(({ summary }) => { console.log(summary); return client.disconnect() })
  .catch((error) => console.log(error.code, error.message))
`

let installed: Installed
/** Where bundles run: no package is installed there. */
let alone: string
test.before(() => {
  if (!isBuilt()) return
  installed = installPacked(['core', 'plugins', 'sdk', 'server', 'cli'])
  alone = mkdtempSync(join(tmpdir(), 'svc-alone-'))
})
test.after(() => {
  if (!isBuilt()) return
  installed.remove()
  rmSync(alone, { recursive: true })
})

function run(file: string, ...args: string[]): { stdout: string; stderr: string } {
  const { stdout, stderr } = spawnSync(process.execPath, [file, ...args], { cwd: alone, encoding: 'utf8' })
  return { stdout, stderr }
}

/** Makes one file of a program and puts it where nothing is installed. @returns its path */
async function bundle(code: string): Promise<string> {
  const outfile = join(alone, 'program.mjs')
  const stdin = { contents: code, resolveDir: installed.folder }
  await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'silent' })
  return outfile
}

whenBuilt('a program finds all that it imports among what the packages depend on', () => {
  const file = join(installed.folder, 'program.mjs')
  writeFileSync(file, program('false'))
  assert.equal(run(file), { stdout: '2+2 = 4\n', stderr: '' })
})

whenBuilt('a program in CommonJS requires the packages', () => {
  const file = join(installed.folder, 'program.cjs')
  writeFileSync(file, program('false').replace(/^import (.*) from (.*)$/m, 'const $1 = require($2)'))
  assert.is(run(file).stdout, '2+2 = 4\n')
})

/** Compiles programs beside the installed packages, their declarations included. @returns what the compiler finds wrong */
function compile(files: readonly string[], module: 'nodenext' | 'esnext', types: readonly string[]): string {
  const compilerOptions = {
    target: 'ES2023',
    lib: ['ES2023', 'ESNext.Disposable', ...(types.length === 0 ? ['DOM'] : [])],
    module,
    moduleResolution: module === 'esnext' ? 'bundler' : module,
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    types,
  }
  writeFileSync(join(installed.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
  return spawnSync(process.execPath, [tsc, '-p', installed.folder], { encoding: 'utf8' }).stdout
}

whenBuilt('types tell what a program knows, and need no optional package', () => {
  const program = fileURLToPath(new URL('fixtures/typed-program.ts', import.meta.url))
  cpSync(program, join(installed.folder, 'typed-program.ts'))
  const subpaths = [
    'core/schema',
    'core/components',
    'core/config',
    'core/testing',
    'core/text',
    'core/support',
    'plugins',
    'server',
  ]
  writeFileSync(
    join(installed.folder, 'everything.ts'),
    subpaths.map((path, index) => `export * as part${index} from '@svc/${path}'`).join('\n'),
  )
  writeFileSync(
    join(installed.folder, 'required.cts'),
    `import { type ServiceClient, createClient } from '@svc/sdk'
export const summary = createClient().then((client: ServiceClient) => client.run('x')).then(({ summary }): string => summary)
`,
  )
  link('@types/node', installed.folder)
  link('undici-types', installed.folder)
  for (const module of ['nodenext', 'esnext'] as const)
    assert.is(compile(['typed-program.ts', 'everything.ts', 'required.cts'], module, ['node']), '', module)
})

whenBuilt('a client of a server needs no types of Node', () => {
  const client = `import { createClient } from '@svc/sdk/remote'
import { RunView } from '@svc/core/client'
export const client = await createClient({ serverUrl: 'http://127.0.0.1:4000' })
export const status: 'completed' | 'incomplete' | 'failed' | 'cancelled' = (await client.run('x')).status
export const view = new RunView()
`
  writeFileSync(join(installed.folder, 'remote.ts'), client)
  assert.is(compile(['remote.ts'], 'esnext', []), '')
})

// Other formats, bundlers and versions of Node: bench/packages/matrix.mjs.
whenBuilt('one file that esbuild made of a program runs with nothing installed beside it', async () => {
  assert.equal(run(await bundle(program('false'))), { stdout: '2+2 = 4\n', stderr: '' })
})

whenBuilt('a bundled program that keeps its runs uses the libsql beside it, or says to install it', async () => {
  const file = await bundle(program(`{ store: { dir: ${JSON.stringify(join(alone, 'data'))} } }`))
  assert.match(run(file).stdout, /^store_unavailable .*run npm install libsql/)
  link('libsql', alone)
  try {
    assert.equal(run(file), { stdout: '2+2 = 4\n', stderr: '' })
  } finally {
    rmSync(join(alone, 'node_modules'), { recursive: true })
  }
})

whenBuilt('a page that folds a log takes in no module of Node, no TypeBox and few bytes', async () => {
  const stdin = { contents: `export * from '@svc/core/client'`, resolveDir: installed.folder }
  const { outputFiles, metafile } = await build({
    stdin,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const foreign = Object.keys(metafile.inputs).filter((path) => path !== '<stdin>' && !path.includes('@svc/core/dist/'))
  assert.equal(foreign, [])
  const bytes = gzipSync(outputFiles[0]?.contents ?? '').length
  assert.ok(bytes < 10_500, `${bytes} bytes`)
})

whenBuilt('svc --version needs nothing of the other packages but the version', () => {
  const modules = join(alone, 'node_modules', '@svc')
  for (const path of ['cli', 'core/package.json', 'core/dist/runtime/version.js'])
    cpSync(join(installed.folder, 'node_modules', '@svc', path), join(modules, path), { recursive: true })
  try {
    assert.match(run(join(modules, 'cli/bin/svc.js'), '--version').stdout, /^svc \d+\.\d+\.\d+\n$/)
  } finally {
    rmSync(join(alone, 'node_modules'), { recursive: true })
  }
})

whenBuilt('an error that nobody catches is printed with one line of code and the names of functions', () => {
  const file = join(installed.folder, 'wrong.mjs')
  writeFileSync(file, `import { ServiceClient } from '@svc/sdk'\nnew ServiceClient({ tokenBudget: -1 })\n`)
  const { stderr } = run(file)
  assert.match(stderr, /^ValidationError: tokenBudget/m)
  assert.match(stderr, /^ {4}at checkOptions \(/m)
  const longest = Math.max(...stderr.split('\n').map((line) => line.length))
  assert.ok(longest < 400, `a line of ${longest} characters`)
})

test.run()
