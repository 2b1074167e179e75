/** Who uses the built package needs no types but those that it depends on: not those of express. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeFolder } from './fixtures/folder.ts'

const test = suite('types of @svc/server')

const root = fileURLToPath(new URL('../../', import.meta.url))
const isBuilt = existsSync(join(root, 'server/dist/index.d.ts')) && existsSync(join(root, 'core/dist/index.d.ts'))

const CONSUMER = `import { createServer, type Server } from '@svc/server'
import type { Runtime } from '@svc/core'
declare const runtime: Runtime
export const server: Server = createServer({ runtime, port: 0, keys: () => ['key'] })
server.reload({})
export const handler: (request: never, response: never) => void = server.app
`

test(`a consumer without @types/express is type-checked, the package's own types too${isBuilt ? '' : ' (skipped: not built)'}`, () => {
  if (!isBuilt) return
  const folder = makeFolder()
  for (const name of ['server', 'core']) {
    const place = join(folder, 'node_modules/@svc', name)
    mkdirSync(place, { recursive: true })
    cpSync(join(root, name, 'package.json'), join(place, 'package.json'))
    cpSync(join(root, name, 'dist'), join(place, 'dist'), { recursive: true })
  }
  for (const name of ['typebox', 'eventemitter3', 'tapable', 'undici-types', '@types/node']) {
    const place = join(folder, 'node_modules', name)
    mkdirSync(dirname(place), { recursive: true })
    if (existsSync(join(root, 'node_modules', name))) symlinkSync(join(root, 'node_modules', name), place)
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'index.ts'), CONSUMER)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023'],
    preserveSymlinks: true,
    types: ['node'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['index.ts'] }))
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
  assert.is(status, 0, stdout)
})

test.run()
