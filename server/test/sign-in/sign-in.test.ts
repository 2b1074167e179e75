/** Sign-in with a browser, step by step: what is kept, what is good once, and what somebody in between could try. */
import type { AuditEntry, OidcConfig } from '@svc/core'
import * as assert from 'uvu/assert'
import { CLIENT, type IdentityProvider, openIdentityProvider } from '../fixtures/identity-provider.ts'
import { type OpenOptions, type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('sign-in')

let provider: IdentityProvider
test.before.each(async () => {
  provider = await openIdentityProvider()
  provider.people.set('alice', { sub: 'a1', preferred_username: 'alice', groups: ['makers'] })
  provider.people.set('bob', { sub: 'b1', preferred_username: 'bob', groups: ['makers'] })
  provider.people.set('carol', { sub: 'c1', preferred_username: 'carol', groups: ['deciders'] })
  provider.people.set('dan', { sub: 'd1', preferred_username: 'dan', groups: ['guests'] })
})
test.after.each(() => provider.close())

interface OpenSignIn extends OpenOptions {
  oidc?: Partial<OidcConfig>
}

const open = ({ oidc = {}, ...options }: OpenSignIn = {}): Promise<OpenServer> =>
  openServer({ ...options, server: { oidc: provider.config(oidc), ...options.server } })

/** What a browser does of its own: it keeps cookies and sends them, and follows no redirect here. */
class Browser {
  readonly cookies = new Map<string, string>()
  readonly #world: OpenServer

  constructor(world: OpenServer) {
    this.#world = world
  }

  async ask(
    method: string,
    path: string,
    { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  ) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(new URL(path, this.#world.url), {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie !== '' && { cookie }),
        ...(method !== 'GET' && { origin: this.#world.url, 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const set = response.headers.getSetCookie()
    for (const line of set) {
      const [pair = ''] = line.split(';')
      const [name = '', value = ''] = pair.split('=')
      if (/Max-Age=0/.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    const text = await response.text()
    const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
    return { status: response.status, location: response.headers.get('location') ?? '', set, text, json }
  }

  /** Where the provider sends the browser when somebody signs in there. */
  async callbackOf(who: string, to?: string): Promise<string> {
    const { status, location } = await this.ask(
      'GET',
      `/auth/sign-in${to === undefined ? '' : `?${new URLSearchParams({ to })}`}`,
    )
    assert.is(status, 302)
    const answer = await fetch(`${location}&as=${who}`, { redirect: 'manual' })
    return answer.headers.get('location') ?? ''
  }

  async signIn(who: string, to?: string) {
    return this.ask('GET', await this.callbackOf(who, to))
  }

  async who(): Promise<unknown> {
    const { status, json } = await this.ask('GET', '/v1/session')
    return status === 200 ? json.name : status
  }
}

test('somebody signs in, works under their name, and signs out', async () => {
  const entries: AuditEntry[] = []
  const lines: { caller?: string; route: string }[] = []
  const world = await open({
    runtime: { audit: (entry) => void entries.push(entry) },
    server: { oidc: provider.config(), log: (line) => void lines.push(line) },
  })
  const browser = new Browser(world)
  await world.askAs({ 'x-api-key': 'wrong' }, 'GET', '/v1/runs')
  assert.equal((await browser.ask('GET', '/auth/options')).json, { issuer: provider.issuer })
  assert.is(await browser.who(), 401)
  const begun = await browser.ask('GET', '/auth/sign-in')
  const asked = new URL(begun.location).searchParams
  assert.is(asked.get('redirect_uri'), `${world.url}/auth/callback`)
  assert.is(asked.get('code_challenge_method'), 'S256')
  assert.is(asked.get('scope'), 'openid profile email')
  for (const name of ['state', 'nonce', 'code_challenge']) assert.ok((asked.get(name) ?? '').length >= 43, name)
  const back = await browser.signIn('alice', '/console/runs?q=a#x')
  assert.equal([back.status, back.location], [302, '/console/runs?q=a#x'])
  for (const line of [...begun.set, ...back.set]) assert.match(line, /; Path=\/; HttpOnly; SameSite=Lax$/)
  assert.equal([...browser.cookies.keys()], ['svc-session'])
  assert.not.match(browser.cookies.get('svc-session') ?? '', /alice|makers/)
  assert.is(await browser.who(), 'oidc:alice')
  const made = await browser.ask('POST', '/v1/runs', { body: { task: 'Add' } })
  assert.equal([made.status, made.json.by], [201, 'oidc:alice'])
  const copy = new Map(browser.cookies)
  assert.is((await browser.ask('POST', '/auth/sign-out')).status, 204)
  assert.is(browser.cookies.size, 0)
  for (const [name, value] of copy) browser.cookies.set(name, value)
  assert.is(await browser.who(), 401, 'who has copied the cookie has nothing of it')
  await world.close()
  assert.equal(
    entries.filter(({ what }) => what === 'key.refused').map(({ details }) => details),
    [{ count: 1 }],
    'who only has to sign in has tried no key',
  )
  assert.equal(
    entries.filter(({ what }) => what === 'person.signed_in').map(({ who, from, details }) => [who, from, details]),
    [['oidc:alice', 'http 127.0.0.1', { roles: ['makers'] }]],
  )
  assert.equal(
    lines.filter(({ route }) => /callback|runs/.test(route)).map(({ caller }) => caller),
    [undefined, 'oidc:alice', 'oidc:alice'],
  )
})

test('a session ends by itself, and survives a restart of the server until then', async () => {
  const world = await open({ oidc: { sessionMinutes: 0.05 } })
  const browser = new Browser(world)
  await browser.signIn('alice')
  assert.is(await browser.who(), 'oidc:alice')
  const kept = browser.cookies.get('svc-session') ?? ''
  const stream = await fetch(`${world.url}/v1/events`, {
    headers: { accept: 'text/event-stream', cookie: `svc-session=${kept}` },
  })
  assert.is(stream.status, 200)
  await stream.text().catch(() => '') // is cut when the session ends
  browser.cookies.set('svc-session', kept)
  assert.is(await browser.who(), 401)
  provider.people.delete('alice')
  assert.is((await browser.signIn('alice')).location, '/console/?sign-in=refused', 'who is locked out there')
  const [first, second] = [await open(), await open()]
  const long = new Browser(first)
  await long.signIn('bob')
  const other = new Browser(second)
  other.cookies.set('svc-session', long.cookies.get('svc-session') ?? '')
  assert.is(await other.who(), 'oidc:bob')
  const rotated = new Browser(await open({ oidc: { clientSecret: CLIENT.secret.toLowerCase().replace('k', 'z') } }))
  rotated.cookies.set('svc-session', long.cookies.get('svc-session') ?? '')
  assert.is(await rotated.who(), 401, 'a new secret of the client ends all sessions')
})

test('a secret that can be guessed seals nothing: a session is of one process then', async () => {
  const [first, second] = [
    await open({ oidc: { clientSecret: 'secret' } }),
    await open({ oidc: { clientSecret: 'secret' } }),
  ]
  const [a, b] = [new Browser(first), new Browser(second)]
  await a.ask('GET', '/auth/sign-in')
  const callback = await a.callbackOf('alice')
  b.cookies.set('svc-sign-in', a.cookies.get('svc-sign-in') ?? '')
  const ended = await b.ask('GET', callback.replace(first.url, second.url))
  assert.is(ended.location, '/console/?sign-in=failed')
})

test('cookies are for TLS alone where people come by TLS, and a browser is sent to the public address first', async () => {
  const world = await open({ server: { oidc: provider.config(), publicUrl: 'https://svc.example.com/' } })
  const browser = new Browser(world)
  const elsewhere = await browser.ask('GET', '/auth/sign-in?to=/console/runs')
  assert.equal(
    [elsewhere.location, elsewhere.set],
    ['https://svc.example.com/auth/sign-in?to=%2Fconsole%2Fruns&moved=1', []],
  )
  const moved = await browser.ask('GET', new URL(elsewhere.location).pathname + new URL(elsewhere.location).search)
  assert.match(moved.location, /\/authorize\?/, 'also where a proxy hides the public host')
  const { askWith } = await import('../fixtures/open-server.ts')
  const { headers } = await askWith(world.port, '/auth/sign-in', { host: 'svc.example.com' })
  assert.match(
    String(headers['set-cookie']),
    /^__Host-svc-sign-in=[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
  const asked = new URL(String(headers.location)).searchParams
  assert.is(asked.get('redirect_uri'), 'https://svc.example.com/auth/callback')
})

test('the way back leads to a page of the console, whatever the address says', async () => {
  const browser = new Browser(await open())
  for (const to of [
    'https://evil.example/console/',
    '//evil.example/console/',
    '/\\evil.example/console/',
    '/console/..//evil.example',
    '/console/../../evil',
    'javascript:alert(1)',
    'data:text/html,x',
    '/v1/runs',
    '/consoles/',
    '/console/\r\nSet-Cookie: a=b',
    'http://svc.invalid@evil.example/console/',
    '',
  ]) {
    const { location, set } = await browser.signIn('alice', to)
    assert.ok(location === '/console/' || location === '/console/Set-Cookie:%20a=b', `${to}: ${location}`)
    assert.is(set.length, 2)
  }
  const twice = await browser.ask('GET', '/auth/sign-in?to=/console/&to=//evil.example')
  assert.is(twice.status, 400)
})

test('an answer is good once, for the browser that asked, and only as it was asked for', async () => {
  const world = await open()
  const isRefused = async (browser: Browser, path: string, why: string): Promise<void> => {
    const { status, location } = await browser.ask('GET', path)
    assert.equal([status, location], [302, '/console/?sign-in=failed'], why)
    assert.is(await browser.who(), 401, why)
  }
  const victim = new Browser(world)
  const callback = await victim.callbackOf('alice')
  const kept = new Map(victim.cookies)
  await isRefused(new Browser(world), callback, 'a browser that has begun nothing')
  const other = new Browser(world)
  await other.callbackOf('bob')
  await isRefused(other, callback, 'a code of somebody else, with a state of its own')
  const changed = new URL(callback)
  changed.searchParams.set('state', 'x'.repeat(43))
  await isRefused(victim, changed.href, 'another state')
  const again = new Browser(world)
  const good = await again.callbackOf('alice')
  const copies = [...again.cookies]
  assert.is((await again.ask('GET', good)).location, '/console/')
  const replayed = new Browser(world)
  for (const [name, value] of copies) replayed.cookies.set(name, value)
  await isRefused(replayed, good, 'a code that was used, with the cookie that belongs to it')
  for (const [name, value] of kept) replayed.cookies.set(name, `${value.slice(0, -2)}AA`)
  await isRefused(replayed, callback, 'a cookie that was changed')
  for (const query of ['', '?', '?code=x', '?state=x', '?error=server_error', `?code=a&code=b&state=c`]) {
    const browser = new Browser(world)
    await browser.callbackOf('alice')
    await isRefused(browser, `/auth/callback${query}`, query)
  }
})

test('an ID token that is not the answer is refused: nonce, audience, issuer, time', async () => {
  const now = Math.floor(Date.now() / 1_000)
  const wrong: Record<string, unknown>[] = [
    { nonce: 'another' },
    { nonce: undefined },
    { aud: 'another' },
    { iss: 'https://evil.example' },
    { exp: now - 120 },
    { sub: undefined },
  ]
  const world = await open()
  for (const spoil of wrong) {
    provider.spoil = spoil
    const browser = new Browser(world)
    assert.is((await browser.signIn('alice')).location, '/console/?sign-in=failed', JSON.stringify(spoil))
    assert.is(await browser.who(), 401)
  }
  provider.spoil = {}
  provider.forge = true
  const browser = new Browser(world)
  assert.is((await browser.signIn('alice')).location, '/console/?sign-in=failed', 'signed with another key')
})

test('a session of before is not one of after: each sign-in seals a new one, and what is not sealed here is nobody', async () => {
  const world = await open()
  const browser = new Browser(world)
  browser.cookies.set('svc-session', 'planted')
  assert.is(await browser.who(), 401)
  await browser.signIn('alice')
  const first = browser.cookies.get('svc-session') ?? ''
  assert.not.match(first, /planted/)
  await browser.signIn('bob')
  assert.is.not(browser.cookies.get('svc-session'), first)
  assert.is(await browser.who(), 'oidc:bob')
  const begun = new Browser(world)
  await begun.callbackOf('alice')
  begun.cookies.set('svc-session', begun.cookies.get('svc-sign-in') ?? '')
  assert.is(await begun.who(), 401, 'what is kept of a sign-in is no session')
  const twice = new Browser(world)
  twice.cookies.set('svc-session', `${first}; svc-session=${first}`)
  assert.is(await twice.who(), 401, 'two of them')
})

test('what changes something says that a page of the server does; no other page uses the cookie', async () => {
  const world = await open({ server: { oidc: provider.config(), allowedOrigins: ['https://friend.example'] } })
  const browser = new Browser(world)
  await browser.signIn('alice')
  const post = (headers: Record<string, string>) => browser.ask('POST', '/v1/runs', { body: { task: 'Add' }, headers })
  assert.is((await post({})).status, 201)
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'https://friend.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])
    assert.is((await post(headers)).json.code, 'origin_not_allowed', JSON.stringify(headers))
  const cookie = `svc-session=${browser.cookies.get('svc-session')}`
  const bare = await world.askAs({ cookie }, 'POST', '/v1/runs', { task: 'Add' })
  assert.equal([bare.status, bare.json.code], [403, 'origin_not_allowed'], 'neither origin nor site')
  assert.is((await world.askAs({ cookie }, 'GET', '/v1/runs')).status, 200)
  assert.is((await world.askAs({ cookie, origin: 'https://friend.example' }, 'GET', '/v1/runs')).status, 403)
  const out = await browser.ask('POST', '/auth/sign-out', { headers: { origin: 'https://evil.example' } })
  assert.is(out.status, 403)
  assert.is(await browser.who(), 'oidc:alice')
})

test('a key wins over the cookie that a browser adds', async () => {
  const world = await open()
  const browser = new Browser(world)
  await browser.signIn('alice')
  const headers = { authorization: `Bearer ${world.server.localKey}` }
  assert.is((await browser.ask('GET', '/v1/session', { headers })).json.name, 'local')
  const wrong = await browser.ask('GET', '/v1/session', { headers: { authorization: 'Bearer wrong' } })
  assert.is(wrong.status, 401)
})

test('who has no role learns so, and gets one with the next sign-in; roles come from user information too', async () => {
  const world = await open()
  const browser = new Browser(world)
  assert.is((await browser.signIn('dan')).location, '/console/')
  assert.equal((await browser.ask('GET', '/v1/session')).json, { name: 'oidc:dan', scopes: [] })
  const refused = await browser.ask('GET', '/v1/runs')
  assert.equal([refused.status, refused.json.code], [403, 'policy_denied'])
  assert.match(refused.text, /has no role on this server/)
  provider.people.set('dan', { sub: 'd1', preferred_username: 'dan' })
  provider.userInfo = { groups: ['makers'], sub: 'd1' }
  await browser.signIn('dan')
  assert.equal((await browser.ask('GET', '/v1/session')).json, { name: 'oidc:dan', scopes: ['submit'] })
})

test('somebody whom the provider refuses, and a provider that is away, lead to the console with the reason', async () => {
  const world = await open()
  const browser = new Browser(world)
  assert.is((await browser.signIn('nobody')).location, '/console/?sign-in=refused')
  await browser.signIn('alice')
  const late = new Browser(world)
  const callback = await late.callbackOf('bob')
  await provider.down()
  assert.is(await browser.who(), 'oidc:alice', 'who has signed in goes on')
  assert.is((await late.ask('GET', callback)).location, '/console/?sign-in=unavailable')
  const fresh = new Browser(await open())
  assert.is((await fresh.ask('GET', '/auth/sign-in')).location, '/console/?sign-in=unavailable')
  await provider.up()
})

test('one approves what another has made, under their names, and neither sees what is not theirs', async () => {
  const { posting, postingScript } = await import('../fixtures/good-requests.ts')
  const world = await open({ script: postingScript, plugins: [posting()] })
  const [alice, bob, carol] = [new Browser(world), new Browser(world), new Browser(world)]
  await alice.signIn('alice')
  await bob.signIn('bob')
  await carol.signIn('carol')
  const made = await alice.ask('POST', '/v1/runs', { body: { task: 'Post a message to the team', approval: 'wait' } })
  const { waiting } = await world.runtime.runs.wait(String(made.json.id))
  const path = `/v1/approvals/${waiting?.approvals?.[0]?.id}`
  assert.is((await bob.ask('GET', `/v1/runs/${made.json.id}`)).status, 404)
  assert.equal((await bob.ask('GET', '/v1/runs?all=1')).json.data, [])
  assert.is((await bob.ask('GET', path)).status, 404)
  for (const browser of [alice, bob])
    assert.is((await browser.ask('POST', path, { body: { decision: 'approve' } })).status, 403)
  const answered = await carol.ask('POST', path, { body: { decision: 'approve' } })
  assert.equal([answered.status, answered.json.by], [200, 'oidc:carol'])
  assert.is((await world.runtime.runs.wait(String(made.json.id), 60_000)).status, 'completed')
})

test('without a provider there is no sign-in, and a server on this machine is open as ever', async () => {
  const world = await openServer()
  for (const path of ['/auth/options', '/auth/sign-in', '/auth/callback'])
    assert.is((await world.askAs({}, 'GET', path)).json.code, 'route_not_found')
  assert.is((await world.askAs({ cookie: 'svc-session=x' }, 'GET', '/v1/session')).json.name, 'anonymous')
})

test.run()
