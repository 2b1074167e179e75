/** S5: a body costs little, whatever it is, and never more than its route takes. */
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { askWith, type OpenServer, openServer } from '../fixtures/open-server.ts'

const test = suite('S5 bodies')

let world: OpenServer
const json = { 'content-type': 'application/json' }

test.before(async () => {
  world = await openServer()
})
test.after(() => world.close())

const send = async (body: string | Buffer, headers: Record<string, string> = json, path = '/v1/runs') => {
  const response = await fetch(world.url + path, { method: 'POST', headers, body })
  return { status: response.status, code: ((await response.json()) as { code?: string }).code }
}

const nested = (depth: number): string => `{"task":"x","metadata":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`

const ATTACKS: [name: string, expected: string, body: string | Buffer, headers?: Record<string, string>][] = [
  ['a byte more than 1 MiB', 'body_too_large', `{"task":"${'x'.repeat(1_048_576 - 10)}"}`],
  [
    '100 MB of zeros in 100 KB of gzip',
    'body_too_large',
    gzipSync(Buffer.alloc(100_000_000, '0')),
    { ...json, 'content-encoding': 'gzip' },
  ],
  ['an unknown encoding', 'unsupported_media_type', '{}', { ...json, 'content-encoding': 'rot13' }],
  ['no gzip at all', 'validation_failed', '{}', { ...json, 'content-encoding': 'gzip' }],
  ['65 levels', 'json_too_deep', nested(64)],
  ['100 000 levels', 'json_too_deep', `{"a":${'['.repeat(100_000)}`],
  ['90 000 unknown fields', 'validation_failed', `{${Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`).join()}}`],
  ['a prototype', 'invalid_json', '{"task":"x","metadata":{"__proto__":{"polluted":1}}}'],
  ['a prototype behind an escape', 'invalid_json', '{"task":"x","metadata":{"\\u005f_proto__":{"polluted":1}}}'],
  ['invalid UTF-8', 'invalid_json', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['an overlong slash', 'invalid_json', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
  ['UTF-7', 'unsupported_media_type', '{}', { 'content-type': 'application/json; charset=utf-7' }],
  [
    'UTF-16',
    'unsupported_media_type',
    Buffer.from('{"task":"x"}', 'utf16le'),
    { 'content-type': 'application/json; charset=utf-16' },
  ],
  ['a byte order mark of UTF-16', 'invalid_json', Buffer.from('\ufeff{"task":"x"}', 'utf16le')],
  ['a text', 'invalid_json', '"x"'],
  ['a number', 'invalid_json', '1'],
  ['null', 'invalid_json', 'null'],
  ['a list', 'validation_failed', '[]'],
  ['NaN', 'invalid_json', '{"task":NaN}'],
  ['a number without end', 'validation_failed', '{"task":"x","seed":1e999}'],
  ['a field twice', 'invalid_json', '{"task":"x","task":"y"}'],
  ['a field twice, one of them escaped', 'invalid_json', '{"task":"x","\\u0074ask":"y"}'],
  ['a comma too many', 'invalid_json', '{"task":"x",}'],
  ['two values', 'invalid_json', '{"task":"x"}{"task":"y"}'],
  ['a constructor as task', 'validation_failed', '{"task":{"constructor":{"prototype":{"polluted":1}}}}'],
]

for (const [name, expected, body, headers] of ATTACKS) {
  test(`${name} is refused as ${expected}`, async () => {
    const { status, code } = await send(body, headers)
    assert.is(code, expected)
    assert.ok([400, 413, 415].includes(status), String(status))
  })
}

test('all these bodies leave the prototype and the server as they were', async () => {
  assert.is(({} as { polluted?: unknown }).polluted, undefined)
  assert.is((await askWith(world.port, '/health', {})).status, 200)
})

test('a memory of more than 256 KiB is refused, though a run may be as large', async () => {
  const text = 'x'.repeat(270_000)
  assert.is(
    (await send(JSON.stringify({ content: text }), { ...json, 'x-api-key': world.server.localKey }, '/v1/memory')).code,
    'body_too_large',
  )
  assert.is((await send(JSON.stringify({ task: 'x', context: text }))).status, 201)
})

test('a task has a longest length, which the config can lower', async () => {
  assert.is((await send(JSON.stringify({ task: 'x'.repeat(200_001) }))).code, 'validation_failed')
  const low = await openServer({ server: { limits: { taskChars: 10, bodyBytes: 100, jsonDepth: 2 } } })
  assert.is((await low.ask('POST', '/v1/runs', { body: { task: 'x'.repeat(11) } })).status, 400)
  assert.is((await low.ask('POST', '/v1/runs', { body: { task: 'x'.repeat(10) } })).status, 201)
  assert.is((await low.ask('POST', '/v1/runs', { body: { task: 'x'.repeat(100) } })).json.code, 'body_too_large')
  assert.is(
    (await low.ask('POST', '/v1/runs', { body: { task: 'x', metadata: { a: {} } } })).json.code,
    'json_too_deep',
  )
  await low.close()
})

test.run()
