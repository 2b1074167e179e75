/** A person with keys in every place asks the command line for all that it prints. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { each } from '../fixtures/svc.ts'
import { makeWorld } from '../fixtures/world.ts'

const KEYS = {
  variable: 'canary-Variable-1',
  namedByConfig: 'canary-Named-2',
  header: 'canary-Header-3',
  query: 'canary-Query-4',
  address: 'canary-Address-5',
  database: 'canary-Database-6',
  proxy: 'canary-Proxy-7',
  dotenv: 'canary-Dotenv-8',
} as const
const encoded = (keys: readonly string[]): string =>
  keys.flatMap((key) => [key, Buffer.from(key).toString('base64')]).join(' ')
/** That of the database is set for orders alone that reach it. */
const SAID = encoded(Object.values(KEYS).filter((key) => key !== KEYS.database))

const LEAKY = `export default { name: 'leaky', apply({ tools }) {
  tools.add('leak', { id: 'leak', description: 'x', parameters: { type: 'object' }, risk: 'read', run: () => { throw new Error(${JSON.stringify(SAID)}) } })
} }`
const BROKEN = `throw new Error(${JSON.stringify(encoded([KEYS.variable, KEYS.proxy]))})`

/** Orders after which a key was printed, with whose. */
export async function attack(): Promise<Record<string, string[]>> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      const isFirst = !body.includes('"tool"')
      const message = isFirst
        ? { tool_calls: [{ id: 'a', type: 'function', function: { name: 'leak', arguments: '{}' } }] }
        : { content: `Done. ${JSON.stringify(request.headers)} ${SAID}` }
      if (body.includes('fail')) response.writeHead(400).end(JSON.stringify({ error: { message: SAID } }))
      else
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ choices: [{ message: { role: 'assistant', ...message }, finish_reason: 'stop' }] }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const world = makeWorld(
    { '.env': `HOUSE_API_KEY=${KEYS.dotenv}\n`, 'svc.config.json': {} },
    {
      'svc.config.json': {
        model: 'house/small',
        providers: {
          house: {
            type: 'openai',
            baseUrl: `http://127.0.0.1:${port}/v1`,
            apiKeyEnv: 'HOUSE_API_KEY',
            headers: { 'x-house': KEYS.header, 'x-team': '{env:TEAM}' },
            query: { code: KEYS.query },
            models: { small: { context: 32_000 } },
          },
          far: { type: 'openai', baseUrl: `http://me:${KEYS.address}@127.0.0.1:9/v1`, models: { small: {} } },
        },
      },
      'plugins/leaky.mjs': LEAKY,
    },
  )
  const broken = makeWorld({}, { 'plugins/broken.mjs': BROKEN })
  const env = {
    DEPLOY_TOKEN: KEYS.variable,
    TEAM: KEYS.namedByConfig,
    HTTPS_PROXY: `http://me:${KEYS.proxy}@127.0.0.1:9`,
    SVC_TRUST: '1',
  }
  const orders = [
    ['config', 'show'],
    ['run', '--topology', 'SINGLE', 'Use the tool.', '--log-level', 'debug', '--output', 'stream-json'],
    ['run', '--topology', 'SINGLE', 'This will fail.', '--verbose', '--log-level', 'debug'],
    ['run', '--provider', KEYS.variable, 'x'],
    ['run', `--${KEYS.variable}`, 'x', '--verbose'],
  ]
  const said = await each(world, orders, env)
  const withDatabase = [
    ['config', 'show', '--output', 'json'],
    ['doctor', '--verbose'],
    ['runs', '--verbose'],
  ]
  said.push(
    ...(await each(world, withDatabase, {
      ...env,
      SVC_DATABASE_URL: `postgres://me:${KEYS.database}@127.0.0.1:1/none`,
    })),
  )
  said.push(...(await each(broken, ['run x --verbose'], env)))
  const id = /run_\w+/.exec(said[1]?.out ?? '')?.[0] ?? 'none'
  said.push(...(await each(world, [['runs', 'export', id]], env)))
  const all = [...orders, ...withDatabase, ['run with a broken plugin'], ['runs export']]
  server.close()
  return Object.fromEntries(
    said.flatMap(({ out, err }, index) => {
      const found = Object.entries(KEYS).filter(([, key]) =>
        [key, Buffer.from(key).toString('base64')].some((form) => `${out}${err}`.includes(form)),
      )
      return found.length === 0 ? [] : [[(all[index] ?? []).join(' '), found.map(([name]) => name)]]
    }),
  )
}
