/** What a hostile client sends through the protocols of others costs it more than it costs the server. */
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('attacks through the protocols of others')

test('ten thousand messages of a user in a row are read in one go', async () => {
  const { ask } = await openServer()
  const messages = Array.from({ length: 10_000 }, () => ({ role: 'user', content: 'x'.repeat(3_000) }))
  // Each copied all before it, which took minutes.
  const signal = AbortSignal.timeout(60_000)
  const { status, json } = await ask('POST', '/v1/messages', { body: { model: 'svc', max_tokens: 9, messages }, signal })
  assert.is(status, 400)
  assert.match(String((json.error as { message: string }).message), 'at most 200000 characters')
})

test('a body of few bytes and many values is refused before it is read into memory', async () => {
  const { ask, runtime } = await openServer()
  for (const value of ['{}', '[]', '0']) {
    const many = Array(2_000_000).fill(value).join()
    const body = `{"model":"svc","messages":[{"role":"user","content":"hi"}],"metadata":{"a":[${many}]}}`
    const { status, text } = await ask('POST', '/v1/chat/completions', { body })
    assert.is(status, 413, text)
    assert.match(text, 'more than 500000 values')
  }
  assert.is((await runtime.runs.list()).data.length, 0)
})

test.run()
