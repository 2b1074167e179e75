/** Signing in to MCP servers. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LoginOptions, logInToMcpServer, type McpServer, openMcpServer } from '@svc/plugins'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse, type OAuthServer, startOAuthServer } from '../fixtures/mcp/oauth.ts'
import { failureOf } from '../fixtures/tool-context.ts'

const test = suite('logins to MCP servers')

const top = mkdtempSync(join(tmpdir(), 'svc-login-'))
let server: OAuthServer
let userDir = ''
let made = 0

test.before.each(async () => {
  server = await startOAuthServer()
  userDir = join(top, `user-${made++}`)
})
test.after.each(() => server.close())
test.after(() => rmSync(top, { recursive: true, force: true }))

const place = () => ({ workspace: top, userDir })
const config = () => ({ url: server.url })

const logIn = (options: Partial<LoginOptions> = {}, name = 'locked', given: object = config()) =>
  logInToMcpServer(name, given, { userDir, place: place(), onAddress: (address) => void browse(address), ...options })

async function use(open: Promise<McpServer>): Promise<string> {
  const opened = await open
  try {
    const { content } = await opened.call('secret', {})
    return JSON.stringify(content)
  } finally {
    await opened.close()
  }
}

const loginsFile = (): string => join(userDir, 'mcp-logins.json')
const readLogins = (): Record<string, { tokens: { access_token: string; refresh_token: string } }> =>
  JSON.parse(readFileSync(loginsFile(), 'utf8')).logins

test('a person signs in once; the login is kept for them alone, and renewed where it has run out', async () => {
  assert.match(
    (await failureOf(openMcpServer('locked', config(), place()))).message,
    /wants a login\. Fix: svc mcp login locked/,
  )
  const { server: opened, hasSignedIn } = await logIn()
  await opened.close()
  assert.is(hasSignedIn, true)
  assert.is(statSync(loginsFile()).mode & 0o777, 0o600)
  assert.match(await use(openMcpServer('locked', config(), place())), /the secret/)
  const [authorize, token] = server.asked
  assert.is(authorize?.params.get('code_challenge_method'), 'S256')
  assert.match(authorize?.params.get('redirect_uri') ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  assert.ok((authorize?.params.get('state') ?? '').length >= 32)
  assert.is(token?.params.get('resource'), server.url)
  const before = readLogins()[`locked ${server.url}`]?.tokens
  server.valid.clear()
  assert.match(await use(openMcpServer('locked', config(), place())), /the secret/)
  const after = readLogins()[`locked ${server.url}`]?.tokens
  assert.is.not(after?.access_token, before?.access_token)
  assert.is(server.asked.filter(({ path }) => path === '/authorize').length, 1)
  server.valid.clear()
  server.revoke()
  assert.match(
    (await failureOf(openMcpServer('locked', config(), place()))).message,
    /wants a login\. Fix: svc mcp login/,
  )
  assert.is(
    server.asked.filter(({ path }) => path === '/authorize').length,
    1,
    'nobody is asked in the middle of a run',
  )
})

test('who is signed in already is not asked, and a login is of one name and one address', async () => {
  await (await logIn()).server.close()
  const again = await logIn({ onAddress: () => assert.unreachable() })
  await again.server.close()
  assert.is(again.hasSignedIn, false)
  const other = await startOAuthServer()
  for (const [name, url] of [
    ['other', server.url],
    ['locked', other.url],
  ] as const)
    assert.match((await failureOf(openMcpServer(name, { url }, place()))).message, /wants a login/)
  assert.equal(other.used, [])
  await other.close()
})

test('what comes back with another state is refused, and waited past', async () => {
  const answers: Response[] = []
  const onAddress = (address: URL): void => {
    const wrong = (back: URL): URL => {
      back.searchParams.set('state', 'guessed')
      return back
    }
    void browse(address, wrong).then(async (response) => {
      answers.push(response)
      answers.push(await browse(address))
    })
  }
  await (await logIn({ onAddress })).server.close()
  assert.is(answers[0]?.status, 400)
  assert.is(server.asked.filter(({ path }) => path === '/token').length, 1)
})

test('a person who refuses, and one who does not come back, are no login', async () => {
  const refuse = (back: URL): URL => {
    back.searchParams.delete('code')
    back.searchParams.set('error', 'access_denied')
    back.searchParams.set('error_description', 'call 555 for help')
    return back
  }
  const refused = await failureOf(logIn({ onAddress: (address) => void browse(address, refuse) }))
  assert.is(refused.message, 'the MCP server "locked" did not let you in: access_denied')
  const stop = new AbortController()
  const stopped = logIn({ onAddress: () => stop.abort(new Error('stopped')), signal: stop.signal })
  assert.is(await stopped.then(String, ({ message }: Error) => message), 'stopped')
  const { message: local } = await failureOf(logIn({}, 'local', { command: 'x' }))
  assert.match(local, /\/mcpServers\/local has a command and no address/)
})

test('who signs people in may be beside the server, and is not looked for elsewhere in its network', async () => {
  const other = await startOAuthServer()
  const beside = await startOAuthServer({ signsInAt: new URL(other.url).origin })
  await logIn({}, 'beside', { url: beside.url }).catch(() => {})
  assert.ok(other.asked.length > 0)
  const elsewhere = await startOAuthServer()
  const sly = await startOAuthServer({ host: 'localhost', signsInAt: new URL(elsewhere.url).origin })
  const { message } = await failureOf(logIn({}, 'sly', { url: sly.url }))
  assert.match(message, /refused to reach "127\.0\.0\.1"/)
  assert.equal(elsewhere.asked, [])
  await Promise.all([other, beside, elsewhere, sly].map((one) => one.close()))
})

test.run()
