/** Tokens of an OpenID provider in place of a key: whose are good, what they give, and what happens when the provider is away. */
import { generateKeyPair } from 'jose'
import * as assert from 'uvu/assert'
import { type IdentityProvider, openIdentityProvider } from '../fixtures/identity-provider.ts'
import { type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'
import { until } from '../fixtures/until.ts'

const test = serverSuite('tokens of a provider')
const OWNER = 'owner-key'

let provider: IdentityProvider
test.before.each(async () => {
  provider = await openIdentityProvider()
  provider.people.set('alice', { sub: 'a1', preferred_username: 'alice', groups: ['makers', 'other'] })
  provider.people.set('bob', { sub: 'b1', preferred_username: 'bob', groups: ['makers'] })
  provider.people.set('carol', { sub: 'c1', preferred_username: 'carol', groups: ['deciders'] })
  provider.people.set('dan', { sub: 'd1', preferred_username: 'dan', groups: ['guests'] })
})
test.after.each(() => provider.close())

const open = (oidc = provider.config(), keys: string[] = []): Promise<OpenServer> =>
  openServer({ server: { oidc, keys: () => keys } })
const asToken = (world: OpenServer, token: string) => (method: string, path: string, body?: unknown) =>
  world.askAs({ authorization: `Bearer ${token}` }, method, path, body)
const sessionOf = async (world: OpenServer, token: string) => {
  const { status, json } = await asToken(world, token)('GET', '/v1/session')
  return status === 200 ? [json.name, json.scopes] : [status, json.code, json.detail]
}

test('a token is somebody, by name, with what the roles of the config say', async () => {
  const world = await open()
  assert.equal(await sessionOf(world, await provider.token('alice')), ['oidc:alice', ['submit']])
  assert.equal(await sessionOf(world, await provider.token('alice', { groups: ['heads', 'makers'] })), [
    'oidc:alice',
    ['admin', 'submit'],
  ])
  assert.equal(await sessionOf(world, await provider.token('alice', { groups: 'deciders' })), [
    'oidc:alice',
    ['approve'],
  ])
  const run = await asToken(world, await provider.token('alice'))('POST', '/v1/runs?wait=60000', { task: 'Add' })
  assert.equal([run.status, run.json.by], [201, 'oidc:alice'])
})

test('names: a claim of its own choice, mail only where it is proven, and nothing that hides or is a name of ours', async () => {
  const nameOf = async (claims: object, nameClaim?: string) => {
    const world = await open(provider.config(nameClaim === undefined ? {} : { nameClaim }))
    const [name] = await sessionOf(world, await provider.token('alice', { ...claims }))
    return name
  }
  assert.is(await nameOf({ nick: 'Ali' }, 'nick'), 'oidc:Ali')
  assert.is(await nameOf({ preferred_username: undefined, email: 'a@x.org', email_verified: true }), 'oidc:a@x.org')
  assert.is(await nameOf({ email: 'boss@x.org', email_verified: false }, 'email'), 'oidc:a1')
  assert.is(await nameOf({ email: 'boss@x.org' }, 'email'), 'oidc:a1')
  assert.is(await nameOf({ preferred_username: 'anonymous' }), 'oidc:anonymous')
  assert.is(await nameOf({ preferred_username: 'a\u202eb\nc<d>' }), 'oidc:a?b?c?d?')
  assert.is(String(await nameOf({ preferred_username: 'x'.repeat(500) })).length, 105)
})

test('roles: by path, by a name with dots, of mail only where it is proven, and never by what every object has', async () => {
  const scopesOf = async (roleClaim: string, claims: object, roles = provider.config().roles ?? {}) => {
    const world = await open(provider.config({ roleClaim, roles }))
    const [, scopes] = await sessionOf(world, await provider.token('dan', { ...claims }))
    return scopes
  }
  assert.equal(await scopesOf('realm_access.roles', { realm_access: { roles: ['makers'] } }), ['submit'])
  assert.equal(await scopesOf('https://x.org/roles', { 'https://x.org/roles': ['heads'] }), ['admin'])
  assert.equal(await scopesOf('email', { email: 'a@x.org' }, { 'a@x.org': ['admin'] }), [])
  assert.equal(await scopesOf('email', { email: 'a@x.org', email_verified: true }, { 'a@x.org': ['admin'] }), ['admin'])
  assert.equal(await scopesOf('groups', { groups: ['constructor', '__proto__', 'toString', 7, null] }), [])
  assert.equal(await scopesOf('constructor.name', {}), [])
})

test('who has no role learns so in words, on every route but the one that says who they are', async () => {
  const world = await open()
  const token = await provider.token('dan')
  assert.equal(await sessionOf(world, token), ['oidc:dan', []])
  for (const [method, path] of [
    ['GET', '/v1/runs'],
    ['GET', '/v1/config'],
    ['GET', '/v1/models'],
    ['GET', '/v1/events'],
    ['POST', '/v1/runs'],
    ['POST', '/v1/chat/completions'],
  ] as const) {
    const { status, text } = await asToken(world, token)(method, path, method === 'POST' ? { task: 'Add' } : undefined)
    assert.is(status, 403, path)
    assert.match(text, 'oidc:dan', path)
    assert.match(text, 'has no role on this server', path)
  }
})

test('forged tokens are refused, each with what is wrong with it and none with a stack', async () => {
  const world = await open()
  const other = await openIdentityProvider()
  const mine = await provider.token('alice')
  const [head = '', body = '', signature = ''] = mine.split('.')
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const admin = encode({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), groups: ['heads'] })
  const now = Math.floor(Date.now() / 1_000)
  const { privateKey } = await generateKeyPair('ES256')
  const publicText = new TextEncoder().encode(JSON.stringify(await provider.publicJwk()))
  const forged: Record<string, string> = {
    'no algorithm': `${encode({ alg: 'none' })}.${admin}.`,
    'no algorithm, with a signature': `${encode({ alg: 'none' })}.${admin}.${signature}`,
    'changed claims': `${head}.${admin}.${signature}`,
    'another key under its name': await provider.token('alice', {}, {}, privateKey),
    'another key that it names itself': await provider.token(
      'alice',
      {},
      { jwk: (await provider.publicJwk()) as never, kid: 'mine' },
      privateKey,
    ),
    'the public key as a secret': await provider.token('alice', {}, { alg: 'HS256' }, publicText),
    'another issuer': await provider.token('alice', { iss: 'https://evil.example' }),
    'a token of another provider': await other.token('alice', { sub: 'a1', groups: ['heads'] }),
    'another audience': await provider.token('alice', { aud: 'another-api' }),
    'no audience': await provider.token('alice', { aud: undefined }),
    'an ID token of the console': await provider.token('alice', { aud: 'svc' }),
    'too old': await provider.token('alice', { exp: now - 60 }),
    'without an end': await provider.token('alice', { exp: undefined }),
    'not good yet': await provider.token('alice', { nbf: now + 120 }),
    'of nobody': await provider.token('alice', { sub: undefined }),
    'of an empty subject': await provider.token('alice', { sub: '' }),
    'a subject that is no text': await provider.token('alice', { sub: { $ne: 1 } as never }),
    'bound to a key': await provider.token('alice', { cnf: { jkt: 'x' } }),
    'not three parts': `${head}.${body}`,
    'five parts': `${mine}.${body}.${body}`,
    'no JSON': 'eyJ.eyJ.eyJ',
  }
  for (const [what, token] of Object.entries(forged)) {
    const { status, json, text, headers } = await asToken(world, token)('GET', '/v1/session')
    assert.equal([status, json.code], [401, 'unauthenticated'], `${what}: ${text}`)
    assert.match(headers.get('www-authenticate') ?? '', /^Bearer/, what)
    assert.not.match(text, /node_modules|\.ts:|\.js:/, what)
  }
  assert.match((await asToken(world, forged['too old'] ?? '')('GET', '/v1/runs')).text, /exp/)
  assert.match((await asToken(world, forged['another audience'] ?? '')('GET', '/v1/runs')).text, /aud/)
  // Clocks of two machines are never the same.
  assert.equal(await sessionOf(world, await provider.token('alice', { exp: now - 10 })), ['oidc:alice', ['submit']])
  const twice = await fetch(`${world.url}/v1/session`, {
    headers: { authorization: `Bearer ${mine}`, 'x-api-key': mine },
  })
  assert.is(twice.status, 401)
  await other.close()
})

test('without an audience no token is taken, and the refusal says what to set', async () => {
  const { audience: _, ...config } = provider.config()
  const world = await open(config)
  const { status, json } = await asToken(world, await provider.token('alice'))('GET', '/v1/session')
  assert.equal([status, json.code], [401, 'unauthenticated'])
  assert.match(String(json.detail), /server\.oidc\.audience/)
})

test('nobody is anybody where people sign in; keys and the key of this machine are good beside it', async () => {
  const world = await open()
  for (const path of ['/v1/session', '/v1/runs', '/v1/models'])
    assert.is((await world.askAs({}, 'GET', path)).status, 401)
  assert.is((await world.askAs({}, 'POST', '/execute', { task: 'Add' })).status, 401)
  assert.is((await world.askAs({}, 'POST', '/v1/chat/completions', { messages: [] })).status, 401)
  for (const path of ['/health', '/livez', '/readyz', '/metrics', '/openapi.json', '/console/'])
    assert.is((await world.askAs({}, 'GET', path)).status, 200, path)
  assert.equal(await sessionOf(world, world.server.localKey), ['local', ['admin']])
  const keyed = await open(provider.config(), [OWNER])
  assert.equal(await sessionOf(keyed, OWNER), ['owner', ['admin']])
  assert.equal(await sessionOf(keyed, await provider.token('alice')), ['oidc:alice', ['submit']])
  assert.is((await sessionOf(keyed, 'wrong'))[0], 401)
  assert.is((await sessionOf(keyed, keyed.server.localKey))[0], 401)
})

test('a provider that is away: keys go on, tokens wait for it, and once its keys are known they go on without it', async () => {
  await provider.down()
  const world = await open(provider.config(), [OWNER])
  assert.is((await sessionOf(world, OWNER))[0], 'owner')
  const token = await provider.token('alice')
  const away = await asToken(world, token)('GET', '/v1/session')
  assert.equal([away.status, away.json.code, away.json.retryable], [503, 'sign_in_unavailable', true], away.text)
  assert.match(String(away.json.detail), provider.issuer)
  assert.ok(Number(away.headers.get('retry-after')) > 0)
  assert.is((await world.askAs({}, 'GET', '/readyz')).status, 200)
  await provider.up()
  await until(async () => (await sessionOf(world, token))[0] === 'oidc:alice')
  await provider.down()
  assert.is((await sessionOf(world, token))[0], 'oidc:alice')
  assert.is((await sessionOf(world, await provider.token('bob')))[0], 'oidc:bob')
  await provider.up()
})

test('a key that the provider has changed is found by itself', async () => {
  const world = await open()
  const before = await provider.token('alice')
  assert.is((await sessionOf(world, before))[0], 'oidc:alice')
  await provider.rotate()
  // Keys are not read again within half a minute, so that nobody makes the server ask by sending nonsense.
  assert.is((await sessionOf(world, await provider.token('alice')))[0], 401)
  const reads = provider.asked.filter((path) => path === '/jwks').length
  for (let n = 0; n < 20; n++) await sessionOf(world, await provider.token('alice', {}, { kid: `k${n}` }))
  assert.is(provider.asked.filter((path) => path === '/jwks').length, reads)
  const fresh = await open()
  assert.is((await sessionOf(fresh, await provider.token('alice')))[0], 'oidc:alice')
  assert.is((await sessionOf(fresh, before))[0], 401)
})

test('an issuer that others on the way could change is refused at the start', async () => {
  for (const issuer of ['http://login.example.com', 'http://127.0.0.1.evil.example', 'http://localhost.evil'])
    try {
      await open(provider.config({ issuer }))
      assert.unreachable(issuer)
    } catch (thrown) {
      assert.match(String(thrown), /server\.oidc\.issuer must be an address that begins with https/)
    }
})

test('what a sign-in lacks is named at the start, with its variable', async () => {
  const { clientId: _, roles: __, ...config } = provider.config()
  try {
    await open(config)
    assert.unreachable()
  } catch (thrown) {
    assert.match(String(thrown), /without server\.oidc\.clientId \(SVC_SERVER_OIDC_CLIENT_ID\) and server\.oidc\.roles/)
  }
})

test('roles that the config takes away are gone at once, and so are streams of who had them', async () => {
  const world = await open()
  const token = await provider.token('alice')
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  const stream = await fetch(`${world.url}/v1/events`, { headers })
  assert.is(stream.status, 200)
  world.server.reload({ oidc: provider.config({ roles: { heads: ['admin'] } }) })
  await stream.text().catch(() => '')
  assert.equal(await sessionOf(world, token), ['oidc:alice', []])
})

test('a stream ends when its token does', async () => {
  const world = await open()
  const token = await provider.token('alice', { exp: Math.floor(Date.now() / 1_000) + 2 })
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  const stream = await fetch(`${world.url}/v1/events`, { headers })
  assert.is(stream.status, 200)
  await stream.text().catch(() => '')
})

test.run()
