/** Settings by environment alone: a variable for each field, files of secrets, and what is said of mistakes. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configVariables, loadConfig } from '../src/config/index.ts'
import { addFiles, failure, makeFolder, makeMachine } from './fixtures/config-folders.ts'

const test = suite('settings of the environment')

const load = (env: Record<string, string>) => {
  const { options } = makeMachine()
  return loadConfig({ ...options, env: { ...options.env, ...env } })
}

const said = async (env: Record<string, string>): Promise<string> => {
  const { code, message } = await failure(load(env))
  return `${code}: ${message}`
}

test('every field of a config but files has a variable, by its path', async () => {
  const names = new Map([...configVariables().values()].map(({ name, path }) => [path?.join('.'), name]))
  assert.is(names.get('server.limits.runningRuns'), 'SVC_SERVER_LIMITS_RUNNING_RUNS')
  assert.is(names.get('memory.limits.long-term'), 'SVC_MEMORY_LIMITS_LONG_TERM')
  const { config, origin } = await load({
    SVC_SERVER_PORT: '0',
    SVC_SERVER_CONSOLE: 'false',
    SVC_SERVER_ALLOWED_HOSTS: 'svc.example.com, svc.internal',
    SVC_FALLBACK: '["a/b","c/d"]',
    SVC_POLICY_SANDBOX: 'none',
    SVC_POLICY_RULES: '[{"tool":"shell","decision":"deny"}]',
    SVC_PROVIDERS: '{"house":{"type":"openai","baseUrl":"http://127.0.0.1:1/v1"}}',
    SVC_COMPONENTS_CONSENSUS: 'false',
    SVC_STORE_RETAIN_DAYS: '30',
    SVC_BUDGET_MAX_COST_USD: '',
  })
  assert.equal(JSON.parse(JSON.stringify(config.server)), {
    port: 0,
    console: false,
    allowedHosts: ['svc.example.com', 'svc.internal'],
  })
  assert.equal(config.fallback, ['a/b', 'c/d'])
  assert.is(config.policy?.sandbox, 'none')
  assert.is(config.policy?.rules?.[0]?.decision, 'deny')
  assert.is(config.providers?.house?.type, 'openai')
  assert.is(config.components?.consensus, false)
  assert.is(config.store?.retainDays, 30)
  assert.is(config.budget, undefined)
  assert.is(origin['/server/port'], 'environment variable SVC_SERVER_PORT')
})

test('a module that a variable names is loaded from the working folder, and one of a .env is not', async () => {
  const { options, work } = makeMachine({
    'own.mjs': "export default { name: 'own', apply() {} }\n",
    'project.mjs': "export default { name: 'project', apply() {} }\n",
    '.env': 'SVC_PLUGINS=./project.mjs\nSVC_TOKEN_BUDGET=9000\n',
  })
  const env = { ...options.env, SVC_PLUGINS: './own.mjs', SVC_TRUST: '1' }
  const names = async (env: Record<string, string>) =>
    (await loadConfig({ ...options, cwd: work, env })).plugins.map(({ plugin }) => plugin.name)
  assert.equal(await names(env), ['own'])
  const { SVC_PLUGINS: _, ...without } = env
  assert.equal(await names(without), [])
  assert.is((await loadConfig({ ...options, env })).config.tokenBudget, 9000)
})

test('what is wrong with a value is said with the variable and what would be right', async () => {
  const cases: [string, string, RegExp][] = [
    ['SVC_SERVER_PORT', 'many', /SVC_SERVER_PORT: must be a whole number, not "many"$/],
    ['SVC_SERVER_PORT', 'tcp://10.0.0.1:4000', /Kubernetes sets for a service of that name.*enableServiceLinks: false/],
    ['SVC_SERVER_PORT', '70000', /SVC_SERVER_PORT: \/server\/port must be <= 65535/],
    ['SVC_SERVER_CONSOLE', 'perhaps', /SVC_SERVER_CONSOLE: must be 1 or 0, or true or false/],
    ['SVC_POLICY_SANDBOX', 'wall', /\/policy\/sandbox must be one of "auto"/],
    ['SVC_PROVIDERS', '{', /SVC_PROVIDERS: must be JSON/],
    ['SVC_PROVIDERS', '{"a":{"typ":"openai"}}', /\/providers\/a\/typ is not a known setting; did you mean "type"/],
    ['SVC_FALLBACK', '[1]', /\/fallback\/0 must be string/],
    ['SVC_COMPONENTS_ANALYZE', 'false', /\/components\/analyze cannot be switched off/],
  ]
  for (const [name, value, expected] of cases) {
    const message = await said({ [name]: value })
    assert.match(message, /^config_invalid: environment variable SVC_/, `${name}=${value}`)
    assert.match(message, expected)
  }
})

test('a variable that nothing reads and that nearly is one is named; those of others are not', async () => {
  const { warnings } = await load({
    SVC_SERVER_PRT: '1',
    SVC_SERVICE_HOST: '10.0.0.1',
    SVC_PORT_4000_TCP_ADDR: '10.0.0.1',
    SVC_LOG: 'debug',
    SVC_MODEL_BASE_URL: 'http://127.0.0.1:1/v1',
  })
  assert.equal(
    warnings.map(({ message }) => message),
    ['environment variable SVC_SERVER_PRT is not read: did you mean SVC_SERVER_PORT?'],
  )
})

test('files hold secrets, and each variable of another program is left alone', async () => {
  const { options } = makeMachine()
  const folder = makeFolder()
  addFiles(folder, { url: 'postgres://svc:it\'s$x"@db/svc\n', key: '  sk-canary\n' })
  const env = {
    SVC_DATABASE_URL_FILE: join(folder, 'url'),
    OPENAI_API_KEY_FILE: join(folder, 'key'),
    SSL_CERT_FILE: '/no/such/file',
    SERVICE_API_KEY_FILE: '/no/such/file',
  }
  const { config, variables } = await loadConfig({ ...options, env: { ...options.env, ...env } })
  assert.is(config.store?.url, 'postgres://svc:it\'s$x"@db/svc')
  assert.is(variables.OPENAI_API_KEY, 'sk-canary')
  assert.match(
    await said({ OPENAI_API_KEY_FILE: '/no/such/file' }),
    /OPENAI_API_KEY_FILE: \/no\/such\/file cannot be read \(ENOENT\)/,
  )
  assert.match(
    await said({ ...env, SVC_DATABASE_URL: 'sqlite:x' }),
    /SVC_DATABASE_URL_FILE: SVC_DATABASE_URL is set as well: take one of them away/,
  )
  assert.match(await said({ SVC_MODEL_FILE: folder }), /SVC_MODEL_FILE: .* is not a regular file/)
})

test.run()
