import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { getDataDir } from '../src/config/find/data-dir.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { addFiles, failure, makeFolder, makeMachine, plain } from './fixtures/config-folders.ts'

const test = suite('config layers')

test('without any file only the defaults hold', async () => {
  const { options, work } = makeMachine()
  const loaded = await loadConfig(options)
  assert.equal(plain(loaded.config), { tokenBudget: 64_000, defaultTopology: 'SINGLE' })
  assert.is(loaded.trusted, false)
  assert.is(loaded.workspace, work)
  assert.equal(loaded.files, [])
  assert.is(loaded.projectDir, undefined)
})

test('defaults, user, project, named file, environment and flags win in this order, and origin says who won', async () => {
  const { options, work, user } = makeMachine(
    {
      'svc.config.json': {
        model: 'project/m',
        memory: { embedder: 'project/s' },
        provider: 'project',
        persistSessions: true,
      },
    },
    {
      'svc.config.yaml':
        'model: user/m\nmemory: { embedder: user/s }\nprovider: user\nfallback: [user/f]\nstore: { url: file:user }\n',
    },
  )
  addFiles(work, { 'other.json': { provider: 'named', memory: { embedder: 'named/s' } } })
  const { config, origin, files } = await loadConfig({
    ...options,
    trust: true,
    configFile: 'other.json',
    env: { ...options.env, SVC_PROVIDER: 'env', SVC_DATABASE_URL: 'file:env', SVC_TOKEN_BUDGET: '1000' },
    flags: { provider: 'flag', budget: { maxTokens: 5 } },
  })
  assert.is(config.model, 'project/m')
  assert.is(config.memory?.embedder, 'named/s')
  assert.is(config.provider, 'flag')
  assert.equal(config.fallback, ['user/f'])
  assert.is(config.store?.url, 'file:env')
  assert.is(config.tokenBudget, 1000)
  assert.is(origin['/model'], join(work, 'svc.config.json'))
  assert.is(origin['/memory/embedder'], join(work, 'other.json'))
  assert.is(origin['/fallback'], join(user, 'svc.config.yaml'))
  assert.is(origin['/provider'], 'flags')
  assert.is(origin['/budget/maxTokens'], 'flags')
  assert.is(origin['/tokenBudget'], 'environment variable SVC_TOKEN_BUDGET')
  assert.is(origin['/defaultTopology'], 'default')
  assert.equal(files, [join(user, 'svc.config.yaml'), join(work, 'svc.config.json'), join(work, 'other.json')])
})

test('maps merge by id with whole entries, rules add up, other lists are replaced', async () => {
  const { options } = makeMachine(
    {
      'svc.config.json': {
        providers: { fast: { type: 'openai', baseUrl: 'http://127.0.0.1:1/v1' } },
        tools: { write_file: false },
        policy: { rules: [{ tool: 'b', decision: 'deny' }], default: 'allow' },
        fallback: ['b/b'],
      },
    },
    {
      'svc.config.json': {
        providers: { fast: { type: 'openai', apiKeyEnv: 'SECRET' }, slow: { type: 'offline' } },
        policy: { rules: [{ tool: 'a', decision: 'allow' }], default: 'ask' },
        fallback: ['a/a', 'c/c'],
      },
    },
  )
  const { config, origin, providers, tools } = await loadConfig({ ...options, trust: true })
  assert.equal(plain(config.providers), {
    fast: { type: 'openai', baseUrl: 'http://127.0.0.1:1/v1' },
    slow: { type: 'offline' },
  })
  assert.is(origin['/providers/fast/apiKeyEnv'], undefined)
  assert.equal(config.fallback, ['b/b'])
  assert.equal(
    config.policy?.rules?.map(({ tool }) => tool),
    ['a', 'b'],
  )
  assert.is(config.policy?.default, 'ask', 'the strictest default counts, from any layer')
  assert.equal(
    providers.map(({ id, source }) => `${id} ${source.split('/').at(-2)}`),
    ['fast work', 'slow user'],
  )
  assert.equal(
    tools.map(({ id, config }) => [id, config]),
    [['write_file', false]],
  )
})

test('the search climbs to the folder that holds .git, and not beyond', async () => {
  const { options, work } = makeMachine({
    'svc.config.json': { model: 'top/m' },
    'a/b/x': '',
    'c/.svcrc': 'model: near/m',
  })
  const modelIn = async (cwd: string) => (await loadConfig({ ...options, cwd })).tightening?.model
  assert.is(await modelIn(join(work, 'a/b')), 'top/m')
  assert.is(await modelIn(join(work, 'c')), 'near/m')
  const outside = makeFolder({ '.svcrc.json': { model: 'outer/m' }, 'inner/x': '' })
  assert.is(await modelIn(join(outside, 'inner')), undefined)
  assert.is((await loadConfig({ ...options, cwd: outside })).tightening?.model, 'outer/m')
})

test('a field svc of package.json is a config, and a package.json without it is none', async () => {
  const { options } = makeMachine({ 'package.json': { name: 'x', svc: { model: 'p/m' } } })
  assert.is((await loadConfig(options)).tightening?.model, 'p/m')
  assert.is((await loadConfig({ ...options, trust: true })).config.model, 'p/m')
  const other = makeMachine({ 'package.json': { name: 'x' } })
  assert.equal((await loadConfig(other.options)).files, [])
})

test('a file overrides the files that it extends, in any format, and a circle is an error', async () => {
  const { options, work } = makeMachine({
    'svc.config.json': { extends: ['./base.yaml', './more.ts'], model: 'top/m' },
    'base.yaml': 'model: base/m\nmemory: { embedder: base/s }\nprovider: base\n',
    'more.ts': "export default { provider: 'more' }",
    'circle.json': { extends: ['./circle.json'] },
    'gone.json': { extends: ['./nothing'] },
  })
  const { config, files } = await loadConfig({ ...options, trust: true })
  assert.equal(
    [config.model, config.memory?.embedder, config.provider, config.extends],
    ['top/m', 'base/s', 'more', undefined],
  )
  assert.is(files.length, 3)
  for (const [file, reason] of [
    ['circle.json', /extends itself/],
    ['gone.json', /names a file that is not there/],
  ] as const) {
    const error = await failure(loadConfig({ ...options, configFile: join(work, file) }))
    assert.is(error.code, 'config_invalid')
    assert.match(error.message, reason)
  }
})

test('relative folders in a file start at that file', async () => {
  const { options, work } = makeMachine({
    'svc.config.json': { store: { dir: 'data' }, policy: { root: 'src' } },
    'deep/x': '',
  })
  const { config } = await loadConfig({ ...options, trust: true, cwd: join(work, 'deep') })
  assert.is(config.store?.dir, join(work, 'data'))
  assert.is(config.policy?.root, join(work, 'src'))
})

test('a managed file lowers budgets and limits, keeps its rules apart, and cannot be loosened by flags', async () => {
  const machine = makeMachine({ 'svc.config.json': { budget: { maxSteps: 3 } } })
  const managedFile = join(machine.work, '..', 'managed.json')
  writeFileSync(
    managedFile,
    JSON.stringify({
      budget: { maxTokens: 1000, maxSteps: 10 },
      policy: { default: 'deny', memoryMb: 1024, rules: [{ tool: 'shell', decision: 'deny' }] },
      server: { limits: { runningRuns: 2 } },
      mandatory: ['audit'],
    }),
  )
  const { config, managed, origin } = await loadConfig({
    ...machine.options,
    trust: true,
    flags: {
      budget: { maxTokens: 9_999_999 },
      policy: { default: 'allow', memoryMb: 4096 },
      server: { limits: { runningRuns: 50 } },
    },
  })
  assert.equal(plain(config.budget), { maxSteps: 3, maxTokens: 1000 })
  assert.is(config.tokenBudget, 1000)
  assert.is(config.policy?.default, 'allow')
  assert.is(managed?.policy?.default, 'deny')
  assert.is(config.policy?.memoryMb, 1024)
  assert.is(config.server?.limits?.runningRuns, 2)
  assert.equal(managed?.mandatory, ['audit'])
  assert.is(origin['/budget/maxTokens'], managedFile)
  assert.is((await loadConfig({ ...machine.options, files: false })).config.budget?.maxTokens, 1000)
})

test('a managed file that cannot be used stops everything', async () => {
  const machine = makeMachine()
  writeFileSync(join(machine.work, '..', 'managed.json'), '{ "budgte": {} }')
  const error = await failure(loadConfig(machine.options))
  assert.is(error.code, 'config_invalid')
  assert.match(error.message, /managed\.json: \/budgte is not a known setting; did you mean "budget"\?/)
})

test("files: false reads neither the person's nor the project's files", async () => {
  const { options } = makeMachine(
    { 'svc.config.json': { model: 'a/b' }, '.svc/tools/x.json': {} },
    { 'svc.config.json': { model: 'c/d' } },
  )
  const loaded = await loadConfig({ ...options, files: false, flags: { memory: { embedder: 'e/f' } } })
  assert.equal([loaded.config.model, loaded.config.memory?.embedder, loaded.files], [undefined, 'e/f', []])
})

test('a wrong environment variable is named', async () => {
  const { options } = makeMachine()
  for (const [name, value, reason] of [
    ['SVC_TOKEN_BUDGET', '12.5', /SVC_TOKEN_BUDGET: must be a whole number, not "12\.5"/],
    ['SVC_TOKEN_BUDGET', '0', /SVC_TOKEN_BUDGET: \/tokenBudget must be >= 1/],
    ['SVC_MAX_COST_USD', 'much', /SVC_MAX_COST_USD: must be a number, not "much"/],
  ] as const) {
    const error = await failure(loadConfig({ ...options, env: { ...options.env, [name]: value } }))
    assert.is(error.code, 'config_invalid')
    assert.match(error.message, reason)
  }
})

test('SVC_CONFIG and SVC_TRUST stand for their flags', async () => {
  const { options } = makeMachine({ 'svc.config.json': { provider: 'project' }, 'other.yaml': 'model: named/m' })
  const env = { ...options.env, SVC_CONFIG: 'other.yaml' }
  assert.equal((await loadConfig({ ...options, env })).config.model, 'named/m')
  assert.is((await loadConfig({ ...options, env })).config.provider, undefined)
  assert.is((await loadConfig({ ...options, env: { ...env, SVC_TRUST: '1' } })).config.provider, 'project')
})

test("the data folder is the stated one, else the variable's, else a trusted project's, else the person's", () => {
  const facts = { config: {}, workspace: '/w', projectDir: '/w/p', trusted: true }
  const env = { HOME: '/h', SVC_DATA_DIR: 'there' }
  assert.is(getDataDir({ ...facts, config: { store: { dir: '/s' } } }, env), '/s')
  assert.is(getDataDir(facts, env), '/w/there')
  assert.is(getDataDir(facts, { HOME: '/h' }), '/w/p/.svc/data')
  assert.is(getDataDir({ ...facts, trusted: false }, { HOME: '/h' }), '/h/.local/share/svc')
  const none = { config: {}, workspace: '/w', trusted: false }
  assert.is(getDataDir(none, { HOME: '/h' }), '/h/.local/share/svc')
  assert.is(getDataDir(none, { HOME: '/h', XDG_DATA_HOME: '/d' }), '/d/svc')
})

test.run()
