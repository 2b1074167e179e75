/** Requests that nobody would send: whatever comes, each is answered with what its row names, and nothing breaks. */

import { type ErrorCode, isTerminal } from '@svc/core'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { ROUTES } from '../src/index.ts'
import { errorsOf } from '../src/routes/errors-of.ts'
import { goodRequests, makeThings, posting, postingScript } from './fixtures/good-requests.ts'
import { openServer, sendRaw, serverSuite } from './fixtures/open-server.ts'

const test = serverSuite('mutated requests')

const isNightly = process.env.SVC_NIGHTLY === '1'
const REQUESTS = isNightly ? 1_000_000 : 300
const RAW = isNightly ? 20_000 : 80
/** A server keeps what it is sent in memory here: so many requests, then another one. */
const PER_SERVER = 50_000
const SEED = fc.readConfigureGlobal()?.seed ?? 0

const names = fc.constantFrom(
  'task',
  'limit',
  'after',
  'mode',
  'options',
  'budget',
  'metadata',
  'constructor',
  'x/y',
  '',
)
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('run_', '\u0000', '𐏿', 'null', '-1', '1e400'),
)
const header = fc.constantFrom(
  '',
  'a',
  'text/event-stream;q=0',
  '*/*;q=x',
  'W/"a", *',
  '"',
  'respond-async;;',
  ',,,',
  '9999999999999999',
)

/** What may stand for an id; nothing, and dots, make a path of another route. */
const id = text.filter((text) => !/^\.{0,2}$/.test(text))

/** A good body with a few fields changed, or anything else. */
const mutated = (body: unknown): fc.Arbitrary<unknown> =>
  typeof body === 'object' && body !== null
    ? fc
        .dictionary(fc.oneof(fc.constantFrom(...Object.keys(body), 'x'), names), fc.jsonValue(), { maxKeys: 2 })
        .map((changes) => ({ ...body, ...changes }))
    : fc.jsonValue()

test(`${REQUESTS} mutated fields, ids and headers: no answer that the table does not name`, async () => {
  for (let sent = 0; sent < REQUESTS; sent += PER_SERVER)
    await sendMutated(Math.min(PER_SERVER, REQUESTS - sent), SEED + sent / PER_SERVER)
})

async function sendMutated(numRuns: number, seed: number): Promise<void> {
  const world = await openServer({
    script: postingScript,
    plugins: [posting()],
    config: { server: { limits: { queuedRuns: 100_000 } } },
  })
  const good = goodRequests(await makeThings(world))
  const routes = ROUTES.filter(
    ({ path, adapter }) => path !== '/v1/events' && path !== '/metrics' && adapter === undefined,
  )
  const request = fc.constantFrom(...routes).chain((route) => {
    const { path, body } = good[`${route.method} ${route.path}`] ?? { path: '/' }
    return fc.record({
      route: fc.constant(route),
      path: fc.oneof(
        { weight: 4, arbitrary: fc.constant(path) },
        { weight: 1, arbitrary: id.map((text) => path.replace(/(run|thr|mem|apr)_\w+/, encodeURIComponent(text))) },
      ),
      query: fc.oneof(
        fc.constant(''),
        fc
          .dictionary(fc.oneof(names, text), text, { maxKeys: 2 })
          .map((query) => new URLSearchParams(query).toString()),
      ),
      body: mutated(body),
      accept: header,
      match: header,
      prefer: header,
    })
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ route, path, query, body, accept, match, prefer }) => {
      const [base = '', own = ''] = path.split('?')
      const answered = await world.ask(
        route.method,
        `${base}?${[own, query].filter((part) => part !== '').join('&')}`,
        {
          ...(route.method !== 'GET' && { body }),
          headers: {
            accept,
            'if-match': match,
            'if-none-match': match,
            prefer,
            'last-event-id': match,
            'idempotency-key': prefer,
          },
        },
      )
      const seen = `${route.method} ${path} ${JSON.stringify(body)?.slice(0, 300)}: ${answered.status} ${answered.text.slice(0, 300)}`
      assert.ok(answered.status < 500, seen)
      if (answered.status < 400) return
      const code = answered.json.code as ErrorCode
      assert.ok(errorsOf(route).includes(code) || code === 'route_not_found' || code === 'method_not_allowed', seen)
    }),
    { numRuns, seed },
  )
  assert.is((await world.ask('GET', '/health')).status, 200)
  for (const { id, status } of (await world.runtime.runs.list({ limit: 100 })).data)
    if (!isTerminal(status)) await world.runtime.runs.cancel(id)
  await world.close()
}

test(`${RAW} requests with bytes changed: each is answered or cut, and the server goes on`, async () => {
  const world = await openServer()
  const body = '{"task":"What is 6 times 7?","tags":["a"]}'
  const whole = Buffer.from(
    `POST /v1/threads?x=1 HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nX-Request-Id: abc\r\nConnection: close\r\n\r\n${body}`,
  )
  const change = fc.record({
    at: fc.nat(whole.length - 1),
    byte: fc.nat(255),
    kind: fc.constantFrom('set', 'insert', 'remove', 'cut'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      let bytes = [...whole]
      for (const { at, byte, kind } of changes) {
        if (kind === 'set') bytes[at] = byte
        else if (kind === 'cut') bytes = bytes.slice(0, at + 1)
        else bytes.splice(at, kind === 'remove' ? 1 : 0, ...(kind === 'insert' ? [byte] : []))
      }
      const answer = await sendRaw(world.port, Buffer.from(bytes), true)
      assert.not.match(answer, /^HTTP\/1\.1 5/)
    }),
    { numRuns: RAW },
  )
  assert.is((await world.ask('GET', '/health')).status, 200)
})

test.run()
