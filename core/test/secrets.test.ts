import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRedactor, redact, redactShapes, secretsOfConfig, secretsOfVariables } from '../src/index.ts'

const test = suite('secrets')

const telling = fc.string({ minLength: 8, maxLength: 60, unit: 'binary-ascii' }).map((text) => `K1-${text.trim()}-z`)

test('a known secret is found in every form, wherever it stands', () => {
  fc.assert(
    fc.property(telling, fc.string(), fc.string(), (secret, before, after) => {
      const clean = createRedactor([secret])
      for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
        assert.not.ok(clean(`${before}${form}${after}`).includes(form))
      for (const encoding of ['base64', 'base64url', 'hex'] as const) {
        const wrapped = Buffer.from(`${before}${secret}${after}`).toString(encoding)
        const left = clean(wrapped)
        assert.not.ok(Buffer.from(left, encoding).includes(secret))
        assert.ok(left.includes('[redacted]'), `${encoding} ${wrapped}`)
      }
    }),
  )
})

test('what is short, a number, a word, a path or an address without a password is left where it stands', () => {
  const env = {
    API_KEY: 'short',
    SVC_TOKEN_BUDGET: '64000',
    BIG_TOKEN: '123456789012',
    KEY_NAME: 'password',
    SSH_KEY: '/home/me/.ssh/id_ed25519',
    KEY_SERVER: 'https://keys.example.org/path',
    HOME: '/home/me-and-you',
    LANG: 'en_US.UTF-8-long-enough',
  }
  const text = Object.values(env).join(' and ')
  assert.is(createRedactor(secretsOfVariables(env))(text), text)
})

test('secrets of variables are those of their names, in lists, in headers and in addresses', () => {
  const secrets = secretsOfVariables({
    SERVICE_API_KEY: 'first-key-1,crew second-key-2',
    HTTPS_PROXY: 'http://me:p%40ss-word@proxy:3128',
    DATABASE_URL: 'postgres://user:other-pw-3@host/db',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=header-4,authorization=Bearer%20header-5',
    REPO: 'https://token-as-a-user-6@host/',
    LIST: 'https://host/?api_key=query-7&x=1',
  })
  const clean = createRedactor(secrets)
  for (const secret of 'first-key-1 second-key-2 p%40ss-word p@ss-word other-pw-3 header-4 header-5 token-as-a-user-6 query-7'.split(
    ' ',
  ))
    assert.is(clean(`it is ${secret}.`), secret.length < 8 ? `it is ${secret}.` : 'it is [redacted].', secret)
})

test('what is shown of a config names variables, public headers and hosts, and no value that may be a key', () => {
  const config = {
    model: 'house/small',
    tokenBudget: 1000,
    store: { url: 'postgres://user:pass@word@host/db?password=x&ssl=1' },
    providers: {
      house: {
        baseUrl: 'https://me:secret@host/v1?api-key=abc',
        apiKeyEnv: 'HOUSE_KEY',
        headers: { 'x-own': 'value', 'x-env': 'Bearer {env:TEAM}', accept: 'text/plain', 'x-both': 'a {env:A} b' },
        query: { code: 'value', 'api-version': '2026-01-01' },
      },
    },
    tools: { psql: { command: ['psql', '--url=postgres://a:secret@host/db', '{query}'] } },
  }
  assert.equal(redact(config), {
    model: 'house/small',
    tokenBudget: 1000,
    store: { url: 'postgres://user:[redacted]@host/db?password=[redacted]&ssl=1' },
    providers: {
      house: {
        baseUrl: 'https://me:[redacted]@host/v1?api-key=[redacted]',
        apiKeyEnv: 'HOUSE_KEY',
        headers: { 'x-own': '[redacted]', 'x-env': 'Bearer {env:TEAM}', accept: 'text/plain', 'x-both': '[redacted]' },
        query: { code: '[redacted]', 'api-version': '2026-01-01' },
      },
    },
    tools: { psql: { command: ['psql', '--url=postgres://a:[redacted]@host/db', '{query}'] } },
  })
  const secrets = secretsOfConfig(config, { TEAM: 'team-value', A: 'other-value', HOUSE_KEY: 'not named in a text' })
  for (const secret of ['team-value', 'other-value', 'secret', 'pass@word', 'value'])
    assert.ok(secrets.includes(secret), secret)
})

test('keys that nobody named are known by their shape in log lines, and prose is not', () => {
  const keys = [
    `sk-proj-${'a1'.repeat(20)}`,
    `ghp_${'A1'.repeat(18)}`,
    'AKIAIOSFODNN7EXAMPLE',
    `AIza${'x'.repeat(35)}`,
    `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`,
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
  ]
  for (const key of keys) assert.is(redactShapes(`got ${key}!`), 'got [redacted]!', key)
  assert.is(redactShapes('authorization: Bearer abcdefgh12345678'), 'authorization: Bearer [redacted]')
  assert.is(redactShapes('at redis://me:pw@host:1/x'), 'at redis://me:[redacted]@host:1/x')
  const prose =
    'Basic authentication asks for a key: see https://host:8080/a@b and task-force, risk-based, mail me@host.'
  assert.is(redactShapes(prose), prose)
})

test('texts of any kind take linear time', () => {
  const clean = createRedactor(['canary-1-value', 'a'.repeat(40)])
  for (const part of ['a', 'a://b:', 'Bearer ', 'eyJaaaaaaaaaaa.', '-----BEGIN ', '?key=', 'sk-a'])
    assert.type(redact(redactShapes(clean(part.repeat(Math.ceil(200_000 / part.length))))), 'string')
})

test.run()
