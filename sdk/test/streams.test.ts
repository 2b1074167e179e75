/** The stream of a run as text, as a response, and written into another stream: embedded and over HTTP. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isTerminal, type RunEvent } from '@svc/core'
import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createDrafts, type Drafts } from '../../server/test/fixtures/drafts.ts'
import { express } from '../../server/test/fixtures/express.ts'
import { openServer } from '../../server/test/fixtures/open-server.ts'
import { allFrames, readFrames } from '../../server/test/fixtures/read-stream.ts'
import { createGate, until } from '../../server/test/fixtures/until.ts'
import { createClient, RESET, type ServiceClient } from '../src/index.ts'
import { createClient as createRemoteClient, RESET as REMOTE_RESET } from '../src/remote/index.ts'
import { openProxy } from './fixtures/proxy.ts'
import { folder } from './fixtures/transports.ts'

const TASK = 'Say something about cranes.'
const OPTIONS = { topology: 'SINGLE' } as const
const config = { model: 'drafts/drafts' }

interface World {
  client: ServiceClient
  drafts: Drafts
}

/** How a client in any language puts the answer together. */
function fold(text: string, event: RunEvent): string {
  if (event.type === 'message.delta') return text + event.data.text
  if (event.type === 'message.reset') return ''
  return event.type === 'message.snapshot' ? event.data.textSoFar : text
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

const standing = (text: string): string => text.slice(text.lastIndexOf(RESET) + 1)

const TRANSPORTS = {
  async embedded(work: (world: World) => Promise<void>) {
    const drafts = createDrafts()
    const env = { HOME: folder, XDG_CONFIG_HOME: folder }
    const client = await createClient({ env, cwd: folder, config, plugins: [drafts.plugin] })
    await work({ client, drafts }).finally(() => client.disconnect())
  },
  async 'over HTTP'(work: (world: World) => Promise<void>) {
    const drafts = createDrafts()
    const server = await openServer({ plugins: [drafts.plugin], config, runtime: { workspace: folder } })
    const client = await createRemoteClient({ serverUrl: server.url, env: {} })
    await work({ client: client as unknown as ServiceClient, drafts }).finally(() => client.disconnect())
    await server.close()
  },
}

/** A server of Node that one listener answers. */
async function listen(listener: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  }
}

for (const [name, withWorld] of Object.entries(TRANSPORTS)) {
  const test = suite(`streams of text, ${name}`)

  test('the text comes while it is said, and is the answer', () =>
    withWorld(async ({ client, drafts }) => {
      const heard = createGate()
      let pieces = 0
      drafts.pause = () => (++pieces === 3 ? heard.passed : undefined)
      drafts.play([{ pieces: ['Cranes ', 'are ', 'birds.'] }])
      const stream = client.stream(TASK, OPTIONS)
      let text = ''
      for await (const piece of stream.textStream) {
        text += piece
        if (text === 'Cranes are ') heard.open()
      }
      assert.is(text, 'Cranes are birds.')
      assert.is((await stream.result).summary, text)
    }))

  test('after what is no part of the answer the text begins anew', () =>
    withWorld(async ({ client, drafts }) => {
      drafts.play([
        { pieces: ['I shall ', 'look.'], calls: true },
        { pieces: ['They are fish.'], next: 'better' },
        { pieces: ['They are ', 'birds.'] },
      ])
      const stream = client.stream(TASK, OPTIONS)
      assert.equal((await textOf(stream.textStream)).split(RESET), [
        'I shall look.',
        'They are fish.',
        'They are birds.',
      ])
      assert.is((await stream.result).summary, 'They are birds.')
      assert.is(REMOTE_RESET, RESET)

      drafts.play([{ pieces: ['They are birds.'], next: 'worse' }, { pieces: ['They are fish.'] }])
      const kept = client.stream(TASK, OPTIONS)
      assert.equal((await textOf(kept.textStream)).split(RESET), [
        'They are birds.',
        'They are fish.',
        'They are birds.',
      ])
    }))

  test('a form feed of the answer is not taken for a new beginning', () =>
    withWorld(async ({ client, drafts }) => {
      drafts.play([{ pieces: ['Page one', '\f', 'Page two'] }])
      assert.is(await textOf(client.stream(TASK, OPTIONS).textStream), 'Page one\nPage two')
    }))

  test('whatever is drafted, and whenever its readers come and stall, what they put together is the answer', () =>
    withWorld(async ({ client, drafts }) => {
      const said = fc
        .array(fc.constantFrom('a ', 'b ', 'é', '😀', '\n'), { maxLength: 6 })
        .map((all) => ['It is: ', ...all, '.'])
      const looks = fc.array(
        said.map((pieces) => ({ pieces, calls: true })),
        { maxLength: 2 },
      )
      const turns = fc.tuple(looks, said, fc.constantFrom(undefined, 'better' as const, 'worse' as const), said)
      const stalls = fc.array(fc.nat(3), { minLength: 1, maxLength: 5 })
      await fc.assert(
        fc.asyncProperty(turns, stalls, fc.boolean(), async ([before, first, next, second], stalls, isLate) => {
          drafts.play([...before, { pieces: first, ...(next && { next }) }, { pieces: second }])
          const stream = client.stream(TASK, OPTIONS)
          let turn = 0
          const stall = async (): Promise<void> => {
            for (let left = stalls[turn++ % stalls.length] ?? 0; left > 0; left--) await new Promise(setImmediate)
          }
          const events = async (): Promise<string> => {
            let text = ''
            for await (const event of stream) {
              await stall()
              text = fold(text, event)
            }
            return text
          }
          const pieces = async (): Promise<string> => {
            let text = ''
            for await (const piece of stream.textStream) {
              await stall()
              text += piece
            }
            return standing(text)
          }
          if (isLate) await stream.result
          const texts = await Promise.all([events(), pieces()])
          const { summary } = await stream.result
          assert.equal(texts, [summary, summary])
        }),
        { numRuns: 20 },
      )
    }))

  test('a handler answers with the stream as a response of server-sent events', () =>
    withWorld(async ({ client, drafts }) => {
      drafts.play([{ pieces: ['They are fish.'], next: 'better' }, { pieces: ['They are ', 'birds.'] }])
      // What Next.js, Hono, Bun and Deno call.
      const POST = async (request: Request): Promise<Response> =>
        client
          .stream(((await request.json()) as { task: string }).task, OPTIONS)
          .toResponse({ headers: { 'x-own': '1' } })
      const response = await POST(new Request('http://x/', { method: 'POST', body: JSON.stringify({ task: TASK }) }))
      assert.is(response.status, 200)
      assert.is(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
      assert.is(response.headers.get('cache-control'), 'no-cache, no-transform')
      assert.is(response.headers.get('x-own'), '1')
      const frames = await allFrames(response)
      assert.is(frames.at(-1)?.event, 'end')
      const events = frames.slice(0, -1).flatMap(({ data }) => data ?? [])
      assert.is(events.reduce(fold, ''), 'They are birds.')
      for (const { id, event, data } of frames.slice(0, -1)) assert.equal([id, event], [data?.seq, data?.type])
      assert.is(events.at(-1)?.type, 'run.completed')
    }))

  test('Express answers with it in one line, and a client that leaves cancels the run', () =>
    withWorld(async ({ client, drafts }) => {
      const app = express()
      let written = 0
      app.get('/', (request, response) =>
        client
          .stream(String(request.query.task), OPTIONS)
          .pipeTo(response)
          .then(() => void written++),
      )
      const web = await listen(app)
      drafts.play([{ pieces: ['They are ', 'birds.'] }])
      const response = await fetch(`${web.url}/?task=cranes`)
      assert.is(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
      const events = (await allFrames(response)).flatMap(({ data, event }) => (event === 'end' || !data ? [] : [data]))
      assert.is(events.reduce(fold, ''), 'They are birds.')
      await until(() => written === 1)

      drafts.play([{ pieces: ['They ', 'never end.'] }])
      const never = createGate()
      let pieces = 0
      drafts.pause = () => (++pieces === 2 ? never.passed : undefined)
      const leaving = new AbortController()
      let runId = ''
      for await (const { data } of readFrames(await fetch(`${web.url}/?task=cranes`, { signal: leaving.signal }))) {
        runId = data?.runId ?? runId
        if (data?.type === 'message.delta') break
      }
      leaving.abort()
      await until(async () => isTerminal((await client.runs.get(runId)).status))
      assert.is((await client.runs.get(runId)).status, 'cancelled')
      await until(() => written === 2)
      never.open()
      await web.close()
    }))

  test('it is piped into any stream of bytes, and its text into any stream of text', () =>
    withWorld(async ({ client, drafts }) => {
      drafts.play([{ pieces: ['They are ', 'birds.'] }, { pieces: ['They are ', 'birds.'] }])
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const [frames] = await Promise.all([
        allFrames(new Response(readable)),
        client.stream(TASK, OPTIONS).pipeTo(writable),
      ])
      assert.is(frames.at(-1)?.event, 'end')
      const text = client.stream(TASK, OPTIONS).textStream.pipeThrough(new TextEncoderStream())
      assert.is(await new Response(text).text(), 'They are birds.')
    }))

  test('who leaves a stream before reading it, or in the middle, cancels the run', () =>
    withWorld(async ({ client, drafts }) => {
      const never = createGate()
      drafts.pause = () => never.passed
      const unread = client.stream(TASK, OPTIONS)
      await unread.toResponse().body?.cancel()
      assert.is((await unread.result).status, 'cancelled')
      drafts.pause = () => {}
      drafts.play([{ pieces: ['They ', 'are ', 'birds.'] }])
      let pieces = 0
      drafts.pause = () => (++pieces > 1 ? never.passed : undefined)
      const left = client.stream(TASK, OPTIONS)
      for await (const _ of left.textStream) break
      assert.is((await left.result).status, 'cancelled')
      never.open()
    }))

  test('a run that is refused is said by the text, and by the last event of a response', () =>
    withWorld(async ({ client }) => {
      const refused = client.stream('')
      const frames = (await refused.toResponse().text()).split('\n\n')
      assert.match(frames[0] ?? '', /^event: error\ndata: \{"code":"validation_failed","message":".*task/)
      assert.equal(frames.slice(1), [''])
      let code = ''
      await textOf(refused.textStream).catch((thrown) => (code = thrown.code))
      assert.is(code, 'validation_failed')
    }))

  test.run()
}

const cuts = suite('streams of text over cuts')

cuts('a connection that is cut again and again takes nothing from the text', async () => {
  const drafts = createDrafts()
  const server = await openServer({ plugins: [drafts.plugin], config, server: { allowedHosts: ['127.0.0.1'] } })
  let left = 0
  const proxy = await openProxy({
    port: server.port,
    answer: (bytes, { isStream }) => (isStream && bytes.includes('word10 ') && left > 0 && left-- ? undefined : bytes),
  })
  const client = await createRemoteClient({ serverUrl: proxy.url, env: {} })
  for (const next of [undefined, 'better', 'worse'] as const) {
    left = 2
    drafts.pause = () => new Promise(setImmediate)
    const pieces = Array.from({ length: 30 }, (_, index) => `word${index} `)
    drafts.play([{ pieces, ...(next && { next }) }, { pieces: [...pieces].reverse() }])
    const stream = client.stream(TASK, OPTIONS)
    const text = await textOf(stream.textStream)
    assert.is(standing(text), (await stream.result).summary)
  }
  assert.ok(proxy.cuts > 0)
  await client.disconnect()
  await proxy.close()
  await server.close()
})

cuts.run()
