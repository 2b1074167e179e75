/** What a client does where a server is busy, broken, silent or away. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AuthError, CapacityError, ConflictError, ConnectionError, NotFoundError, ValidationError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openServer } from '../../../server/test/fixtures/open-server.ts'
import { until } from '../../../server/test/fixtures/until.ts'
import { createClient, type ServiceClientOptions } from '../../src/index.ts'
import { openProxy } from '../fixtures/proxy.ts'
import { thrown } from '../fixtures/transports.ts'

const test = suite('requests to a server')

interface Seen {
  method: string | undefined
  key: unknown
  authorization: unknown
}

/** A server that answers each request with the next of these, and the last one from then on. */
async function withAnswers(
  answers: ((request: IncomingMessage, response: ServerResponse) => void)[],
  work: (url: string, seen: Seen[]) => Promise<void>,
): Promise<void> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const { method, headers } = request
    seen.push({
      method,
      key: headers['idempotency-key'],
      authorization: headers.authorization,
    })
    request.resume()
    request.on('end', () => answers[Math.min(seen.length, answers.length) - 1]?.(request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
const busy = answer(
  503,
  { code: 'shutting_down', detail: 'about to end', retryable: true },
  { 'x-should-retry': 'true' },
)
const drop = (_: IncomingMessage, response: ServerResponse): void => void response.destroy()
const record = answer(201, { id: 'mem_1' })

async function write(serverUrl: string, options: ServiceClientOptions = {}): Promise<unknown> {
  const client = await createClient({ serverUrl, env: {}, ...options })
  try {
    return await client.writeMemory({ content: 'x' })
  } finally {
    await client.disconnect()
  }
}

test('busy servers and lost connections are tried again, under one key', async () => {
  await withAnswers([busy, drop, record], async (url, seen) => {
    assert.equal(await write(url), { id: 'mem_1' })
    assert.is(seen.length, 3)
    assert.is(new Set(seen.map(({ key }) => key)).size, 1)
    assert.match(String(seen[0]?.key), /^[\x21-\x7e]{8,255}$/)
  })
})

test('after maxRetries the error is the last one', async () => {
  await withAnswers([busy], async (url, seen) => {
    const error = await thrown(() => write(url, { maxRetries: 1 }))
    assert.instance(error, CapacityError)
    assert.equal([error.code, error.retryable, seen.length], ['shutting_down', true, 2])
  })
  await withAnswers([drop], async (url, seen) => {
    const error = await thrown(() => write(url, { maxRetries: 0 }))
    assert.instance(error, ConnectionError)
    assert.equal([error.code, error.exitCode, seen.length], ['connection_failed', 5, 1])
  })
})

test('away is said once where no server answers, and back once one does', async () => {
  const proxy = answer(502, '<html>')
  const refused = answer(404, { code: 'memory_not_found', detail: 'gone' })
  const limited = answer(429, { code: 'rate_limited', detail: 'slowly' })
  const cases: [(typeof drop)[], string[]][] = [
    [
      [drop, proxy, busy, record],
      ['away', 'back'],
    ],
    [
      [answer(504, ''), refused],
      ['away', 'back'],
    ],
    [[limited, answer(500, ''), record], []],
    [[drop], ['away']],
  ]
  for (const [answers, expected] of cases) {
    const states: string[] = []
    const onConnection = (state: string): void => {
      states.push(state)
      throw new Error('on purpose')
    }
    await withAnswers(answers, async (url) => {
      await write(url, { maxRetries: 3, onConnection }).catch(() => {})
      assert.equal(states, expected)
    })
  }
})

test('a stream of all runs that is refused ends, and one that is cut is away until it goes on', async () => {
  const states: string[] = []
  const heard: string[] = []
  const frames = (_: IncomingMessage, response: ServerResponse): void => {
    const before = heard.length
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`retry: 1\n\ndata: ${JSON.stringify({ type: 'run.queued', runId: 'run_1' })}\n\n`)
    void until(() => heard.length > before).then(() => response.destroy())
  }
  const unauthenticated = answer(401, { code: 'unauthenticated', detail: 'no key' })
  await withAnswers([frames, drop, frames, unauthenticated], async (url, seen) => {
    const client = await createClient({ serverUrl: url, env: {}, onConnection: (state) => states.push(state) })
    client.onRunEvent(({ type }) => heard.push(type))
    await until(() => states.length === 4)
    assert.equal(states, ['away', 'back', 'away', 'back'])
    assert.equal([heard, seen.length], [['run.queued', 'run.queued'], 4])
    await client.disconnect()
  })
})

test('the server says when to come again, and whether', async () => {
  const limited = (seconds: string) =>
    answer(429, { code: 'rate_limited', detail: 'too many' }, { 'retry-after': seconds, 'x-should-retry': 'true' })
  await withAnswers([limited('1'), record], async (url) => assert.equal(await write(url), { id: 'mem_1' }))
  const never = answer(500, { code: 'no_provider', detail: 'none' }, { 'x-should-retry': 'false' })
  for (const last of [limited('3600'), never]) {
    await withAnswers([last, record], async (url, seen) => {
      await thrown(() => write(url))
      assert.is(seen.length, 1)
    })
  }
})

test('a stream that comes too often waits as long as the server says, which is busy and not away', async () => {
  const limited = answer(429, { code: 'rate_limited', detail: 'too many' }, { 'retry-after': '1' })
  const unauthenticated = answer(401, { code: 'unauthenticated', detail: 'no key' })
  for (const follow of ['all', 'one'] as const) {
    await withAnswers([limited, unauthenticated], async (url, seen) => {
      const told: unknown[] = []
      const onConnection = (state: string): void => void told.push(state)
      const onBusy = (forMs: number): void => {
        told.push(forMs)
        throw new Error('on purpose')
      }
      const client = await createClient({ serverUrl: url, env: {}, onConnection, onBusy })
      if (follow === 'all') client.onRunEvent(() => {})
      else await thrown(async () => void (await client.runs.events('run_1')[Symbol.asyncIterator]().next()))
      await until(() => seen.length === 2)
      assert.equal(told, [1_000])
      await client.disconnect()
    })
  }
})

test('what is no answer of svc is named as that, and a server that says nothing is given up', async () => {
  const page = (status: number) => (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>')
  await withAnswers([page(502)], async (url, seen) => {
    const error = await thrown(() => write(url, { maxRetries: 1 }))
    assert.equal([error.code, seen.length], ['connection_failed', 2])
    assert.match(error.message, /answered 502, which is no answer of a svc server/)
  })
  await withAnswers([page(404)], async (url, seen) => {
    assert.equal([(await thrown(() => write(url))).code, seen.length], ['connection_failed', 1])
  })
  const moved = (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(301, { location: 'https://elsewhere.example/' }).end()
  await withAnswers([moved], async (url, seen) => {
    const error = await thrown(() => write(url))
    assert.match(error.message, /answered 301/)
    assert.is(seen.length, 1)
  })
  await withAnswers([page(200)], async (url) => {
    assert.match((await thrown(() => write(url))).message, /is no svc server/)
  })
  await withAnswers([() => {}], async (url) => {
    const error = await thrown(() => write(url, { timeoutMs: 200, maxRetries: 0 }))
    assert.instance(error, ConnectionError)
    assert.equal([error.code, error.retryable], ['connection_timeout', true])
    assert.match(error.message, /did not answer within 200 ms/)
  })
})

test('the key comes from the option or the environment, and errors are those of an embedded runtime', async () => {
  const world = await openServer({ server: { keys: () => ['right'] } })
  const ask = async (options: ServiceClientOptions) => {
    const client = await createClient({ serverUrl: `${world.url}/`, env: {}, ...options })
    return client.runs.get('run_01JZ4K0M6T8N2QW3E5R7Y9V1XA').finally(() => client.disconnect())
  }
  for (const options of [{}, { serverKey: 'wrong' }, { env: { SERVICE_API_KEY: 'wrong' } }]) {
    const error = await thrown(() => ask(options))
    assert.instance(error, AuthError)
    assert.equal([error.code, error.exitCode], ['unauthenticated', 4])
  }
  for (const options of [{ serverKey: 'right' }, { env: { SERVICE_API_KEY: 'right, older' } }]) {
    const error = await thrown(() => ask(options))
    assert.instance(error, NotFoundError)
    assert.is(error.code, 'run_not_found')
    assert.match(String(error.details?.requestId), /^req_/)
  }
  const client = await createClient({ serverUrl: world.url, serverKey: 'right' })
  const invalid = await thrown(() => client.writeMemory({ content: 7 } as never))
  assert.instance(invalid, ValidationError)
  assert.is(invalid.errors?.[0]?.path, '/content')
  const { runId } = await client.run('What is 6 times 7?')
  assert.instance(await thrown(() => client.runs.resume(runId)), ConflictError)
  const lines: string[] = []
  for await (const piece of client.runs.export(runId)) lines.push(new TextDecoder().decode(piece))
  assert.match(lines.join(''), /"run.completed"/)
  await client.disconnect()
  await world.close()
})

test('an answer that is lost makes no second run, thread or approval', async () => {
  const world = await openServer({ server: { allowedHosts: ['127.0.0.1'] } })
  let lost = 0
  const proxy = await openProxy({
    port: world.port,
    answer(bytes) {
      if (lost % 2 === 1 || !bytes.includes('HTTP/1.1 20')) {
        lost++
        return bytes
      }
      lost++
      return undefined
    },
  })
  const client = await createClient({ serverUrl: proxy.url, env: {} })
  const run = await client.runs.create({ task: 'What is 6 times 7?' })
  await client.threads.create({ title: 'A talk' })
  assert.ok(proxy.cuts >= 2)
  assert.equal(
    (await world.runtime.runs.list()).data.map(({ id }) => id),
    [run.id],
  )
  assert.is((await world.runtime.threads.list()).data.length, 1)
  await client.disconnect()
  await proxy.close()
  await world.close()
})

test('a signal finds runs that are still being asked for', async () => {
  const world = await openServer({
    script: () => new Promise(() => {}),
    server: { allowedHosts: ['127.0.0.1'] },
  })
  const stop = new AbortController()
  const proxy = await openProxy({
    port: world.port,
    answer(bytes) {
      if (bytes.includes('HTTP/1.1 201')) stop.abort()
      return bytes
    },
  })
  const client = await createClient({ serverUrl: proxy.url, signal: stop.signal })
  const running = client.run('Wait for it.')
  const ended = await running.then(
    ({ status }) => status,
    ({ code }) => code,
  )
  await proxy.close()
  await world.close()
  assert.is(ended, 'cancelled')
})

test('a server that is called by another name says so', async () => {
  const world = await openServer()
  const proxy = await openProxy({
    port: world.port,
    change: (bytes) => Buffer.from(bytes.toString('latin1').replace(/^host: .*$/im, 'Host: svc.example'), 'latin1'),
  })
  const client = await createClient({ serverUrl: proxy.url })
  for (const work of [() => client.run('x'), () => client.runs.list()]) {
    const error = await thrown(work)
    assert.instance(error, AuthError)
    assert.is(error.code, 'host_not_allowed')
    assert.match(error.message, /SVC_SERVER_ALLOWED_HOSTS=svc\.example/)
  }
  await client.disconnect()
  await proxy.close()
  await world.close()
})

test.run()
