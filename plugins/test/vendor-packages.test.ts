/** svc where the vendors' packages are not installed: a folder with this package and what it depends on, and no more. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folderOf } from './fixtures/folder-of.ts'

const test = suite('vendor packages')

const root = fileURLToPath(new URL('../..', import.meta.url))
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const manifestOf = (name: string) => JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'))
const { dependencies, peerDependencies } = manifestOf('plugins')
const folder = folderOf()

test.before(() => {
  const modules = join(folder, 'node_modules')
  const plugins = join(modules, '@svc', 'plugins')
  mkdirSync(plugins, { recursive: true })
  for (const part of ['package.json', 'src'])
    cpSync(join(root, 'plugins', part), join(plugins, part), { recursive: true })
  symlinkSync(join(root, 'core'), join(modules, '@svc', 'core'))
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
})

/** What a program in the folder prints, as JSON. */
function runThere(code: string): unknown {
  writeFileSync(join(folder, 'main.mjs'), code)
  const flags = ['--conditions=@svc/source', '--import', tsx, 'main.mjs']
  return JSON.parse(execFileSync(process.execPath, flags, { cwd: folder, encoding: 'utf8' }))
}

test('an absent package is an error of the first call that names its versions and how to install it', () => {
  const thrown = runThere(`
    import { createProvider } from '@svc/plugins'
    const signal = new AbortController().signal
    const request = { model: '', messages: [], stream: false }
    const schema = { ...request, outputSchema: { type: 'object', properties: {} } }
    const make = (type, more) =>
      createProvider(type, { type, baseUrl: 'http://127.0.0.1:9', defaultModel: 'm', ...more }, { env: {} })
    const calls = [
      make('openai').complete(request, { signal }),
      make('openai-responses').complete(request, { signal }),
      make('openai', { models: { v: { embedding: true } } }).embed(['x'], { signal }),
      make('anthropic').complete(request, { signal }),
      make('anthropic').complete(schema, { signal }),
    ]
    const ends = await Promise.allSettled(calls)
    console.log(JSON.stringify(ends.map(({ reason }) => [reason.code, reason.exitCode, reason.message])))`)
  const openai = [
    'no_provider',
    3,
    `requests in OpenAI's format need the package openai (${peerDependencies.openai}), which is not installed. Fix: npm install openai@6`,
  ]
  const anthropic = [
    'no_provider',
    3,
    `requests in Anthropic's format need the package @anthropic-ai/sdk (${peerDependencies['@anthropic-ai/sdk']}), which is not installed. Fix: npm install @anthropic-ai/sdk@1`,
  ]
  assert.equal(thrown, [openai, openai, openai, anthropic, anthropic])
})

test('without them a runtime starts, the offline provider answers, and a run with a key fails with the error', () => {
  const runs = runThere(`
    import { checkVendorPackages, createRuntime } from '@svc/plugins'
    const ends = []
    for (const env of [{}, { ANTHROPIC_API_KEY: 'k' }]) {
      const runtime = await createRuntime({}, { env, persist: false })
      const { id } = await runtime.runs.create({ task: 'What is 17% of 2340?', topology: 'SINGLE' })
      const { status, error } = await runtime.runs.wait(id)
      ends.push([status, error?.code])
      await runtime.close()
    }
    console.log(JSON.stringify([...ends, (await checkVendorPackages()).length]))`)
  assert.equal(runs, [['completed', null], ['failed', 'no_provider'], 2])
})

test('a package that is there but broken is not called absent', () => {
  const vendor = join(folder, 'node_modules', 'openai')
  mkdirSync(vendor)
  writeFileSync(join(vendor, 'package.json'), '{ "name": "openai", "main": "index.js" }')
  writeFileSync(join(vendor, 'index.js'), "require('a-part-of-it')")
  const [message] = runThere(`
    import { checkVendorPackages } from '@svc/plugins'
    console.log(JSON.stringify((await checkVendorPackages()).map(({ message }) => message)))`) as string[]
  rmSync(vendor, { recursive: true })
  assert.match(message ?? '', /openai .*which cannot be loaded \(Cannot find module 'a-part-of-it'/)
})

test('packages that embed svc hand on the same peers, and the command line brings them along', () => {
  const { dependencies: brought } = manifestOf('cli')
  for (const name of ['openai', '@anthropic-ai/sdk']) {
    assert.is(manifestOf('sdk').peerDependencies[name], peerDependencies[name])
    for (const each of ['plugins', 'sdk']) assert.ok(manifestOf(each).peerDependenciesMeta[name].optional, each)
    assert.is(manifestOf('plugins').devDependencies[name], brought[name], `the ${name} that is tested is brought along`)
  }
})

test.run()
