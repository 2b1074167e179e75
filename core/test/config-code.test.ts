import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { loadConfig } from '../src/config/load-config.ts'
import type { Host } from '../src/contracts/plugin/plugin.ts'
import { SvcError } from '../src/errors.ts'
import { addFiles, failure, makeFolder, makeMachine } from './fixtures/config-folders.ts'

const test = suite('config code')

const pluginCode = (name: string) => `import { definePlugin } from '@svc/core'
export default definePlugin('${name}', (host, options) => { host.options = options })
`

test('a TypeScript config in a folder without node_modules imports @svc/core and gets our copy of its classes', async () => {
  const { options } = makeMachine({
    'svc.config.ts': `import { defineConfig, SvcError, type SvcConfig } from '@svc/core'
import { made } from './lib/made.ts'
const model: string = 'a/b'
export default defineConfig({ model, plugins: [{ name: 'probe', apply() {}, SvcError, made }] }) satisfies SvcConfig
`,
    'lib/made.ts':
      "import { ConfigError } from '@svc/core'\nexport const made = new ConfigError('config_invalid', 'x')\n",
  })
  const { config, plugins } = await loadConfig({ ...options, trust: true })
  assert.is(config.model, 'a/b')
  const probe = plugins[0]?.plugin ?? {}
  assert.is(Reflect.get(probe, 'SvcError'), SvcError)
  assert.ok(Reflect.get(probe, 'made') instanceof SvcError)
  assert.ok(SvcError.isInstance(Reflect.get(probe, 'made')))
})

test('every ending of a config file loads', async () => {
  const files: Record<string, string> = {
    'svc.config.ts': "export default { model: 'a/b' as string }",
    'svc.config.mts': "const m: string = 'a/b'\nexport default { model: await Promise.resolve(m) }",
    'svc.config.js': "export default { model: 'a/b' }",
    'svc.config.mjs': "export default { model: 'a/b' }",
    'svc.config.cjs': "module.exports = { model: 'a/b' }",
    'svc.config.json': '{ "model": "a/b" }',
    'svc.config.yaml': 'model: a/b',
    'svc.config.yml': 'model: a/b',
    '.svcrc': '{ "model": "a/b" }',
    '.svcrc.json': '{ "model": "a/b" }',
    '.svcrc.yaml': 'model: a/b',
    '.svcrc.ts': "export default { model: 'a/b' }",
    '.svcrc.cjs': "exports.model = 'a/b'",
  }
  for (const [file, content] of Object.entries(files)) {
    const { options } = makeMachine({ [file]: content })
    assert.is((await loadConfig({ ...options, trust: true })).config.model, 'a/b', file)
  }
})

test("plugins load from paths, tuples and objects, the person's first, then drop-ins, in this order", async () => {
  const { options, work } = makeMachine(
    {
      'svc.config.ts': `import own from './own.ts'\nexport default { plugins: [own(), './plain', ['./own.ts', { from: 0.5 }], 'pkg-plugin'] }`,
      'own.ts': pluginCode('own'),
      'plain.mjs': "export default { name: 'plain', apply() {} }",
      '.svc/plugins/dropped.ts': pluginCode('dropped'),
      'node_modules/pkg-plugin/package.json': { name: 'pkg-plugin', type: 'module', exports: './main.js' },
      'node_modules/pkg-plugin/main.js': "export default () => ({ name: 'packaged', apply() {} })",
    },
    {
      '.svcrc.yaml': 'plugins: [./mine.cjs]',
      'mine.cjs': "module.exports = { name: 'mine', apply() {} }",
      'plugins/mine-too.js': pluginCode('mine-too'),
    },
  )
  const { plugins, problems } = await loadConfig({ ...options, trust: true })
  assert.equal(problems, [])
  assert.equal(
    plugins.map(({ plugin }) => plugin.name),
    ['mine', 'mine-too', 'own', 'plain', 'own', 'packaged', 'dropped'],
  )
  assert.is(plugins[2]?.source, join(work, 'svc.config.ts'))
  assert.is(plugins[3]?.source, join(work, 'plain.mjs'))
  assert.is(plugins[5]?.source, 'pkg-plugin')
  const host: { options?: unknown } = {}
  plugins[4]?.plugin.apply(host as unknown as Host)
  assert.equal(host.options, { from: 0.5 })
})

test('a slot takes a plugin, a module or false, and a stronger layer decides', async () => {
  const { options } = makeMachine(
    {
      'svc.config.ts':
        "import a from './a.ts'\nexport default { components: { analyzer: a(), consensus: './b.ts', inspector: false } }",
      'a.ts': pluginCode('a'),
      'b.ts': pluginCode('b'),
    },
    { 'svc.config.json': { components: { consensus: false, memory: false } } },
  )
  const { slots } = await loadConfig({ ...options, trust: true })
  const named = Object.entries(slots).map(([slot, value]) => [slot, value === false ? false : value.plugin.name])
  assert.equal(Object.fromEntries(named), { memory: false, consensus: 'b', analyze: 'a', inspect: false })
})

test('a config or what it imports that throws is named with file and line', async () => {
  const direct = makeMachine({ 'svc.config.ts': "const x: number = 1\n\nthrow new Error('boom ' + x)\n" })
  const first = await failure(loadConfig({ ...direct.options, trust: true }))
  assert.is(first.message, `${join(direct.work, 'svc.config.ts')}:3: failed while loading: boom 1`)
  const inner = makeMachine({
    'svc.config.ts': "import './deep.ts'\nexport default {}\n",
    'deep.ts': '\nexport const x: number = nothing.there\n',
  })
  const second = await failure(loadConfig({ ...inner.options, trust: true }))
  assert.is(second.message, `${join(inner.work, 'deep.ts')}:2: failed while loading: nothing is not defined`)
  const missing = makeMachine({ 'svc.config.ts': "import './gone.ts'\nexport default {}\n" })
  const third = await failure(loadConfig({ ...missing.options, trust: true }))
  assert.match(third.message, /svc\.config\.ts.*Cannot find module '\.\/gone\.ts'$/)
  assert.not.match(third.message, /\n/)
})

test('a code config without a default export is an error that says what to write', async () => {
  for (const file of ['svc.config.ts', 'svc.config.mjs']) {
    const { options } = makeMachine({ [file]: "export const model = 'a/b'\n" })
    assert.match(
      (await failure(loadConfig({ ...options, trust: true }))).message,
      /has no default export; write "export default/,
      file,
    )
  }
})

test('a plugin that cannot be loaded or is none is plugin_load_failed with its file', async () => {
  const cases: [string, RegExp][] = [
    ["throw new Error('boom')", /p\.ts:1: failed while loading: boom/],
    ['export default 3', /p\.ts: must export a plugin by default, .* it exports a number/],
    ['export const x = 1', /p\.ts: .* it exports nothing/],
    ["export default () => { throw new Error('inside') }", /p\.ts: failed while making the plugin: inside/],
    ['export default () => ({ name: 3 })', /it exports an object/],
  ]
  for (const [code, reason] of cases) {
    const { options } = makeMachine({ 'svc.config.json': { plugins: ['./p.ts'] }, 'p.ts': code })
    const error = await failure(loadConfig({ ...options, trust: true }))
    assert.is(error.code, 'plugin_load_failed')
    assert.is(error.exitCode, 3)
    assert.match(error.message, reason)
  }
  for (const [name, reason] of [
    ['./gone', /gone: there is no such module/],
    ['no-such-package', /Cannot find module 'no-such-package'/],
  ] as const) {
    const { options } = makeMachine({ 'svc.config.json': { plugins: [name] } })
    const error = await failure(loadConfig({ ...options, trust: true }))
    assert.is(error.code, 'plugin_load_failed')
    assert.match(error.message, reason)
  }
})

test('a file that changed between two loads of one process is looked at afresh', async () => {
  const { options, work } = makeMachine({
    'svc.config.ts': "import { m } from './m.ts'\nexport default { model: m }",
    'm.ts': "export const m = 'a/1'",
  })
  assert.is((await loadConfig({ ...options, trust: true })).config.model, 'a/1')
  addFiles(work, { 'm.ts': "export const m = 'a/2'" })
  assert.is((await loadConfig({ ...options, trust: true })).config.model, 'a/2')
})

test('code loads also where no cache can be written', async () => {
  const { options, work } = makeMachine({ 'svc.config.ts': "export default { model: 'a/b' as string }" })
  const env = { ...options.env, XDG_CACHE_HOME: join(work, 'svc.config.ts') }
  assert.is((await loadConfig({ ...options, trust: true, env })).config.model, 'a/b')
})

test('ten lines of JSON make a provider, and one file makes a tool or an agent', async () => {
  const { options, work } = makeMachine(
    {
      '.svc/providers/local.json': {
        type: 'openai',
        baseUrl: 'http://127.0.0.1:11434/v1',
        models: { small: { context: 32000 } },
      },
      '.svc/providers/coded.ts': 'export default { models: async () => [], async *generate() {} }',
      '.svc/providers/made.mjs':
        'export default { create: ({ id }) => ({ id, models: async () => [], async *generate() {} }) }',
      '.svc/tools/greet.ts':
        "export default { description: 'greets', parameters: { type: 'object' }, risk: 'read' as const, run: async () => 'hi' }",
      '.svc/tools/say_hi.yaml':
        'description: says hi\nparameters: {type: object}\nrisk: execute\ncommand: [echo, "{name}"]\n',
      '.svc/agents/critic.md': '---\nrole: reviewer\ntools: [read_file]\n---\n\nFind what is wrong.\n',
      '.svc/agents/plain.md': 'Only instructions.\n',
      '.svc/agents/README.md': '# not an agent',
      '.svc/tools/_shared.ts': 'export const x = 1',
    },
    { 'agents/critic.yaml': 'name: Mine\n', 'providers/home.yaml': 'type: offline\n' },
  )
  const { providers, tools, agents, problems, files, config } = await loadConfig({ ...options, trust: true })
  assert.equal(problems, [])
  assert.equal(
    providers.map(({ id }) => id),
    ['home', 'coded', 'local', 'made'],
  )
  assert.is(providers[2]?.source, join(work, '.svc/providers/local.json'))
  assert.is(typeof providers[1]?.config.create, 'function')
  assert.is(providers[3]?.config.type, 'made')
  assert.is(config.providers?.local?.type, 'openai')
  assert.equal(
    tools.map(({ id }) => id),
    ['greet', 'say_hi'],
  )
  const critic = agents.find(({ id }) => id === 'critic')?.profile
  assert.equal(critic, {
    instructions: 'Find what is wrong.',
    role: 'reviewer',
    tools: ['read_file'],
    name: 'critic',
    id: 'critic',
  })
  assert.is(agents.find(({ id }) => id === 'plain')?.profile.instructions, 'Only instructions.\n'.trim())
  assert.is(files.length, 9)
})

test('a bad drop-in is a problem of its own, and the rest still loads', async () => {
  const { options } = makeMachine({
    '.svc/providers/bad.json': '{ nope',
    '.svc/providers/typo.json': { type: 'openai', baseURL: 'http://x' },
    '.svc/providers/Upper.json': { type: 'openai' },
    '.svc/providers/twice.json': { type: 'openai' },
    '.svc/providers/twice.yaml': 'type: openai',
    '.svc/providers/odd.toml': 'type = 1',
    '.svc/tools/throws.ts': "throw new Error('no')",
    '.svc/agents/open.md': '---\nrole: x\n',
    '.svc/agents/empty.json': '',
    '.svc/agents/other.json': { id: 'else', name: 'x' },
    '.svc/plugins/none.ts': 'export const x = 1',
    '.svc/providers/good.json': { type: 'openai' },
  })
  const { providers, problems } = await loadConfig({ ...options, trust: true })
  assert.equal(
    providers.map(({ id }) => id),
    ['good', 'twice'],
  )
  const messages = problems.map(
    ({ file, error }) => `${file.split('/.svc/')[1]} ${error.code}: ${error.message.split(': ').slice(1).join(': ')}`,
  )
  const expected = [
    /^providers\/Upper\.json config_invalid: its name "Upper" is no id/,
    /^providers\/bad\.json config_invalid: is not JSON: .*line 1, column 3/,
    /^providers\/typo\.json config_invalid: \/baseURL is not a known setting; did you mean "baseUrl"\?/,
    /^providers\/twice\.yaml config_invalid: "twice" is already defined by .*twice\.json/,
    /^providers\/odd\.toml config_invalid: must end in one of \.json/,
    /^tools\/throws\.ts config_invalid: failed while loading: no/,
    /^agents\/open\.md config_invalid: its settings do not end/,
    /^agents\/empty\.json config_invalid: is empty/,
    /^agents\/other\.json config_invalid: \/id must be the file's name "other"/,
    /^plugins\/none\.ts plugin_load_failed: must export a plugin by default/,
  ]
  for (const reason of expected)
    assert.ok(
      messages.some((message) => reason.test(message)),
      `${reason}\n${messages.join('\n')}`,
    )
  assert.is(messages.length, expected.length)
})

test('packages that the caller hands over are the ones that config code gets', async () => {
  const marker = { createClient: () => 'ours' }
  const folder = makeFolder({
    'c.ts': "import { createClient } from '@svc/sdk'\nexport default { model: createClient() }",
  })
  const { options } = makeMachine()
  const loaded = await loadConfig({
    ...options,
    configFile: join(folder, 'c.ts'),
    packages: { '@svc/sdk': async () => marker },
  })
  assert.is(loaded.config.model, 'ours')
})

test.run()
