/** Every route of the table with good and with bad input, so that what the table says is what the server does. */
import { ERROR_CODES, type ErrorCode, findErrors } from '@svc/core'
import type { TSchema } from 'typebox'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ROUTES as ALL, type Route } from '../src/index.ts'
import { errorsOf } from '../src/routes/errors-of.ts'
import { makeExperiments } from './fixtures/experiment.ts'
import { type GoodRequest, goodRequests, makeThings, posting, postingScript } from './fixtures/good-requests.ts'
import { type Answered, type OpenServer, openServer } from './fixtures/open-server.ts'

const test = suite('each route of the table')

let world: OpenServer
let good: Record<string, GoodRequest>

/** Those of other protocols have tests with their own clients. */
const ROUTES = ALL.filter(({ adapter }) => adapter === undefined)

const nameOf = ({ method, path }: Route): string => `${method} ${path}`
const goodOf = (route: Route): GoodRequest => good[nameOf(route)] ?? { path: nameOf(route), status: 0 }
const withBody = ROUTES.filter(({ body }) => body !== undefined)

test.before(async () => {
  world = await openServer({
    script: postingScript,
    plugins: [posting()],
    server: { experiments: makeExperiments('topologies') },
  })
  good = goodRequests(await makeThings(world))
})

test.after(async () => {
  await world.close()
})

/** A problem document of the route, with a code that its row names. */
function assertProblem(route: Route, answered: Answered, code: ErrorCode, about: string): void {
  const { status, headers, json } = answered
  const seen = `${nameOf(route)} ${about}: ${status} ${answered.text.slice(0, 300)}`
  assert.is(json.code, code, seen)
  assert.is(status, ERROR_CODES[code].status, seen)
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/, seen)
  assert.is(json.status, status, seen)
  assert.is(json.requestId, headers.get('x-request-id'), seen)
  assert.is(headers.get('x-should-retry'), String(json.retryable), seen)
  assert.not.match(answered.text, /\bat .*\.(ts|js):\d+|node_modules/, seen)
  assert.ok(errorsOf(route).includes(code), `${seen}: the table does not name it`)
}

test('each has a good request here', () => {
  assert.equal(ROUTES.map(nameOf).sort(), Object.keys(good).sort())
})

test('what is wrong with a field is said with its pointer, and nothing is done', async () => {
  const before = world.provider.requests.length
  for (const route of ROUTES) {
    const { path, body, headers = {} } = goodOf(route)
    const wrongQuery = await world.ask(route.method, `${path}${path.includes('?') ? '&' : '?'}nonsense=1`, {
      body,
      headers,
    })
    assertProblem(route, wrongQuery, 'validation_failed', 'with an unknown query field')
    assert.equal(wrongQuery.json.errors, [{ path: '/nonsense', message: 'is not a known field' }], nameOf(route))
    if (route.body === undefined) continue
    const sent = { ...(body as object), 'non/sense': 1 }
    const wrongBody = await world.ask(route.method, path, { body: sent })
    assertProblem(route, wrongBody, 'validation_failed', 'with an unknown body field')
    assert.equal(wrongBody.json.errors, [{ path: '/non~1sense', message: 'is not a known field' }])
    for (const name of (route.body as { required?: string[] }).required ?? []) {
      const { [name]: _, ...less } = body as Record<string, unknown>
      const missing = await world.ask(route.method, path, { body: less })
      assertProblem(route, missing, 'validation_failed', `without ${name}`)
      assert.equal(missing.json.errors, [{ path: `/${name}`, message: 'is required' }])
    }
    for (const [name, schema] of Object.entries((route.body as { properties: Record<string, TSchema> }).properties)) {
      if (findErrors(schema, [[]]).length === 0) continue // takes anything
      const wrong = await world.ask(route.method, path, { body: { ...(body as object), [name]: [[]] } })
      assertProblem(route, wrong, 'validation_failed', `with a wrong ${name}`)
      const [error] = wrong.json.errors as { path: string }[]
      assert.ok(error?.path.startsWith(`/${name}`), `${nameOf(route)}: ${JSON.stringify(wrong.json.errors)}`)
    }
  }
  assert.is(world.provider.requests.length, before)
})

test('a body that is no JSON in UTF-8 of a known size and depth is refused', async () => {
  const json = { 'content-type': 'application/json' }
  for (const route of withBody) {
    const { path } = goodOf(route)
    const send = (body: string, headers: Record<string, string> = json) =>
      world.ask(route.method, path, { body, headers })
    assertProblem(route, await send('{"a":'), 'invalid_json', 'with half a JSON')
    assertProblem(route, await send('"text"'), 'invalid_json', 'with a text')
    assertProblem(route, await send('{"a":1,"a":2}'), 'invalid_json', 'with a field twice')
    assertProblem(route, await send('{"__proto__":{"x":1}}'), 'invalid_json', 'with a prototype')
    assertProblem(route, await send('{}', { 'content-type': 'text/plain' }), 'unsupported_media_type', 'as text')
    const latin = { 'content-type': 'application/json; charset=latin1' }
    assertProblem(route, await send('{}', latin), 'unsupported_media_type', 'in another charset')
    assertProblem(route, await send(`{"a":${'['.repeat(65)}${']'.repeat(65)}}`), 'json_too_deep', 'too deep')
    assertProblem(route, await send(`{"a":"${'x'.repeat(1_048_577)}"}`), 'body_too_large', 'too large')
  }
})

test('an id that is none, or that nobody has, is refused', async () => {
  for (const route of ROUTES.filter(({ params }) => params !== undefined)) {
    const { path, body } = goodOf(route)
    const at = (id: string): string => path.replace(/(run|thr|mem|apr)_[0-9A-Z]{26}|reviewer|topologies/, id)
    assertProblem(route, await world.ask(route.method, at('No!Id'), { body }), 'validation_failed', 'with no id')
    if (nameOf(route) === 'PUT /v1/agents/{id}') continue // makes it
    const [prefix] = /(run|thr|mem|apr)_/.exec(path) ?? ['nobody']
    const unknown = await world.ask(route.method, at(prefix === 'nobody' ? prefix : `${prefix}${'0'.repeat(26)}`), {
      body,
    })
    const found = route.errors.find((code) => code.endsWith('_not_found'))
    assertProblem(route, unknown, found ?? 'route_not_found', 'with an unknown id')
  }
})

test('another method is answered 405 with those that there are', async () => {
  for (const route of ROUTES) {
    const methods = ROUTES.filter(({ path }) => path === route.path).map(({ method }) => method)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      (other) => !methods.some((known) => known === other),
    )) {
      const [path = ''] = goodOf(route).path.split('?')
      const { status, headers, json } = await world.ask(method, path)
      assert.is(status, 405, `${method} ${path}`)
      assert.is(json.code, 'method_not_allowed')
      for (const known of methods) assert.ok(headers.get('allow')?.split(', ').includes(known))
    }
  }
})

test('a media type that no answer has is refused', async () => {
  for (const route of ROUTES.filter(({ media }) => !media?.includes('*/*'))) {
    const { path, body } = goodOf(route)
    const answered = await world.ask(route.method, path, { body, headers: { accept: 'image/png' } })
    assertProblem(route, answered, 'not_acceptable', 'asked for a picture')
  }
})

test('a good request is answered as the row says', async () => {
  for (const name of Object.keys(good)) {
    const route = ROUTES.find((other) => nameOf(other) === name)
    if (route === undefined) throw new Error(name)
    const { path, status, body } = goodOf(route)
    if (name === 'GET /v1/events') continue // has no end: see the tests of streams
    const answered = await world.ask(route.method, path, { body })
    assert.is(answered.status, status, `${name}: ${answered.text.slice(0, 500)}`)
    assert.match(answered.headers.get('x-request-id') ?? '', /^req_[0-9A-Z]{26}$/)
    assert.is(answered.headers.get('x-content-type-options'), 'nosniff')
    assert.match(answered.headers.get('cache-control') ?? '', /^(no-store|private, no-cache)$/)
    assert.is(answered.headers.has('ratelimit'), !route.isUnlimited, name)
    if (status >= 400) continue
    const schema = route.answers[status]
    assert.ok(schema !== undefined, `${name} does not name ${status}`)
    if (schema === null || !answered.headers.get('content-type')?.startsWith('application/json')) continue
    assert.equal(findErrors(schema as object, answered.json), [], name)
  }
})

test('what is not there is answered 404', async () => {
  for (const path of [
    '/v1/nothing',
    '/V1/RUNS',
    '/v1/runs/',
    '/v1//runs',
    '/console/assets/nothing.js',
    '/mcp/nothing',
    '/v1/chat',
  ]) {
    const { status, json } = await world.ask('GET', path)
    if (path === '/v1/runs/') continue // the same as without the slash
    assert.is(status, 404, path)
    assert.is(json.code, 'route_not_found', path)
  }
})

test.run()
