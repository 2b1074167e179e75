/** Images and PDFs on their way to models, from the task and from `read_file`, over the official clients. */
import { join } from 'node:path'
import type { ContentPart, ProviderConfig, Runtime } from '@svc/core'
import { toMediaPart } from '@svc/core/text'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'
import {
  chatEvents,
  type FakeServer,
  messagesEvents,
  type SeenRequest,
  sendEvents,
  sendJson,
  startFakeServer,
} from './fixtures/fake-server.ts'
import { pdfOf, pngOf } from './fixtures/media-files.ts'
import { eventsOf, resultOf } from './fixtures/runs.ts'
import { createWorkspace } from './fixtures/tool-context.ts'

const test = suite('images and PDFs in runs')

type Format = 'openai' | 'openai-responses' | 'anthropic'
const FORMATS: readonly Format[] = ['openai', 'openai-responses', 'anthropic']

const PNG = pngOf(640, 480)
const PDF = pdfOf(2)
const FILES = { 'logo.png': PNG, 'report.dat': PDF, 'notes.txt': 'The launch code name is Heron.' }
const context = (): ContentPart[] => [
  { type: 'text', text: 'File notes.txt:\nThe launch code name is Heron.' },
  partOf(pngOf(32, 16), 'given.png'),
  partOf(pdfOf(1), 'given.pdf'),
]

function partOf(bytes: Buffer, name: string): ContentPart {
  const part = toMediaPart(bytes, name)
  if (part === undefined) throw new Error(`${name} is neither image nor PDF`)
  return part
}

const hasResults = (body: object): boolean =>
  /"(?:function_call_output|tool_result|tool_call_id)"/.test(JSON.stringify(body))
const READS = ['logo.png', 'report.dat'].map((path, index) => ({ id: `call_${index}`, args: JSON.stringify({ path }) }))

/** A model that reads both files and then says that it has seen them, in each of the three formats, whole or streamed. */
function say({ path, body }: SeenRequest): [whole: object, events: string] {
  const isDone = hasResults(body)
  const text = 'I have seen them.'
  if (path.endsWith('/messages')) {
    const content = isDone
      ? [{ type: 'text', text }]
      : READS.map(({ id, args }) => ({ type: 'tool_use', id, name: 'read_file', input: JSON.parse(args) }))
    const stop_reason = isDone ? 'end_turn' : 'tool_use'
    const usage = { input_tokens: 40, output_tokens: 8 }
    const blocks = content.flatMap((block, index) => {
      const start = 'text' in block ? block : { ...block, input: {} }
      const piece = { type: 'input_json_delta', partial_json: 'input' in block ? JSON.stringify(block.input) : '' }
      const delta = 'input' in block ? [{ type: 'content_block_delta', index, delta: piece }] : []
      return [
        { type: 'content_block_start', index, content_block: start },
        ...delta,
        { type: 'content_block_stop', index },
      ]
    })
    const end = { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 8 } }
    const events = messagesEvents({ type: 'message_start', message: { usage } }, ...blocks, end, {
      type: 'message_stop',
    })
    return [{ content, stop_reason, usage }, events]
  }
  if (path.endsWith('/responses')) {
    const output = isDone
      ? [{ type: 'message', content: [{ type: 'output_text', text }] }]
      : READS.map(({ id, args }) => ({ type: 'function_call', call_id: id, name: 'read_file', arguments: args }))
    const whole = { status: 'completed', output, usage: { input_tokens: 40, output_tokens: 8 } }
    const items = output.map((item) => ({ type: 'response.output_item.done', item }))
    const said = isDone ? [{ type: 'response.output_text.delta', delta: text }] : []
    return [whole, messagesEvents(...said, ...items, { type: 'response.completed', response: whole })]
  }
  const calls = READS.map(({ id, args }, index) => ({
    index,
    id,
    type: 'function',
    function: { name: 'read_file', arguments: args },
  }))
  const message = isDone ? { content: text } : { content: null, tool_calls: calls }
  const finish_reason = isDone ? 'stop' : 'tool_calls'
  const usage = { prompt_tokens: 40, completion_tokens: 8 }
  return [
    { choices: [{ message, finish_reason }], usage },
    chatEvents({ choices: [{ delta: message }] }, { choices: [{ delta: {}, finish_reason }], usage }),
  ]
}

function speak(server: FakeServer): void {
  server.answer((response, request) => {
    const [whole, events] = say(request)
    if (request.body.stream === true) return sendEvents(response, events, 4_096)
    return sendJson(response, whole)
  })
}

interface World {
  server: FakeServer
  start(config?: Partial<ProviderConfig>): Promise<Runtime>
}

const servers: FakeServer[] = []
test.after.each(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function makeWorld(type: Format, files: Record<string, string | Uint8Array> = FILES): Promise<World> {
  const server = await startFakeServer()
  servers.push(server)
  speak(server)
  const { top, workspace } = await createWorkspace(files)
  return {
    server,
    start: (config = {}) =>
      createRuntime(
        { model: 'fake/m', providers: { fake: { type, baseUrl: `${server.url}/v1`, defaultModel: 'm', ...config } } },
        { env: {}, workspace, persist: { dir: join(top, 'data') }, drainMs: 100 },
      ),
  }
}

async function run(runtime: Runtime, deltas: boolean, more: object = {}) {
  const { id } = await runtime.runs.create({ task: 'Describe the pictures', topology: 'SINGLE', ...more }, { deltas })
  const result = await resultOf(runtime, id)
  const events = await eventsOf(runtime, id)
  return { id, result, events }
}

const url = (bytes: Buffer, type: string): string => `data:${type};base64,${bytes.toString('base64')}`
const [given, read] = [pngOf(32, 16), PNG]

/** The parts that one format sends, of the task and of the tool. */
const SHOWN: Record<Format, (png: Buffer, pdf: Buffer, name: string) => [object, object]> = {
  openai: (png, pdf, name) => [
    { type: 'image_url', image_url: { url: url(png, 'image/png') } },
    { type: 'file', file: { filename: name, file_data: url(pdf, 'application/pdf') } },
  ],
  'openai-responses': (png, pdf, name) => [
    { type: 'input_image', detail: 'auto', image_url: url(png, 'image/png') },
    { type: 'input_file', filename: name, file_data: url(pdf, 'application/pdf') },
  ],
  anthropic: (png, pdf, name) => [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') } },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: pdf.toString('base64') },
      title: name,
    },
  ],
}

interface Item {
  role?: string
  type?: string
  content?: unknown[]
  output?: unknown[]
}

/** Without what says that it may be cached. */
const withoutMarks = (sent: unknown[]): unknown =>
  JSON.parse(JSON.stringify(sent, (name, part) => (name === 'cache_control' ? undefined : part)))

for (const type of FORMATS) {
  for (const deltas of [true, false]) {
    test(`${type}, ${deltas ? 'streamed' : 'whole'}: what comes with the task and what is read reaches the model`, async () => {
      const world = await makeWorld(type)
      const runtime = await world.start()
      const { id, result, events } = await run(runtime, deltas, { context: context() })
      assert.is(result.status, 'completed')
      assert.is(result.summary, 'I have seen them.')
      assert.equal(result.warnings, [])
      assert.equal(
        world.server.seen.map(({ body }) => body.stream),
        [deltas, deltas],
      )
      const [first, second] = world.server.seen.map(({ body }) => (body.messages ?? body.input) as Item[])
      const user = first?.find(({ role }) => role === 'user')?.content ?? []
      assert.equal(withoutMarks(user.slice(1, 3)), SHOWN[type](given, pdfOf(1), 'given.pdf'))
      assert.match(
        JSON.stringify(user[0]),
        /Heron.*\[image given\.png, \d+ bytes, 32x16\].*\[PDF given\.pdf, \d+ bytes, 1 page\]/,
      )
      const [image, file] = SHOWN[type](read, PDF, 'report.dat')
      const last = second?.at(-1)
      if (type === 'openai') {
        assert.equal(
          second?.slice(-3).map(({ role }) => role),
          ['tool', 'tool', 'user'],
        )
        assert.match(JSON.stringify(second?.at(-3)), /"content":"\[image logo\.png, \d+ \w+, 640x480\]"/)
        assert.equal([last?.content?.[1], last?.content?.[3]], [image, file])
      } else if (type === 'anthropic') {
        const results = last?.content as Item[]
        assert.equal([results[0]?.content, results[1]?.content], [[image], [file]])
      } else assert.equal([second?.at(-2)?.output, last?.output], [[image], [file]])

      const log = JSON.stringify(events)
      assert.not.match(log, PNG.toString('base64').slice(0, 60), 'the log holds no bytes')
      assert.not.match(log, given.toString('base64').slice(0, 60))
      const done = events.filter(({ type: kind }) => kind === 'tool.completed').map(({ data }) => data)
      assert.match(JSON.stringify(done), /"result":"\[image logo\.png, \d+ \w+, 640x480\]","media":\["image logo/)
      assert.equal(await runtime.runs.replay(id), { identical: true })
      assert.is(world.server.seen.length, 2)
      await runtime.close()
    })
  }
}

test('a model that takes no images is given them in words, and the result warns of it', async () => {
  const world = await makeWorld('openai')
  const runtime = await world.start({ models: { m: { vision: false } } })
  const { result, events } = await run(runtime, false, { context: context() })
  const sent = JSON.stringify(world.server.seen.map(({ body }) => body.messages))
  assert.not.match(sent, /base64|image_url/)
  assert.match(sent, /\[image given\.png, \d+ bytes, 32x16: this model cannot see images\]/)
  assert.match(sent, /\[PDF given\.pdf, \d+ bytes, 1 page: this model cannot read PDFs\]/)
  assert.match(sent, /\[image logo\.png, \d+ \w+, 640x480: this model cannot see images\]/)
  const unseen = result.warnings.filter(({ code }) => code === 'media_unseen').map(({ message }) => message)
  assert.is(unseen.length, 4)
  assert.match(unseen[0] ?? '', /^fake\/m was not shown image given\.png, \d+ bytes, 32x16: it takes no images$/)
  const completed = events.flatMap((event) => (event.type === 'model.completed' ? [event.data.unseen?.length] : []))
  assert.equal(completed, [2, 4])
  const tokens = events.flatMap((event) => (event.type === 'model.started' ? [event.data.estimatedInputTokens] : []))
  assert.ok((tokens[0] ?? 0) < 3_000, `${tokens[0]} tokens for a request without pages`)
  await runtime.close()
})

test('what a server refuses is learnt: the run goes on in words, and the next one begins so', async () => {
  const world = await makeWorld('openai')
  world.server.answer((response, request) => {
    if (!JSON.stringify(request.body).includes('"image_url"')) return sendJson(response, say(request)[0])
    const message = 'messages[1]: unknown variant `image_url`, expected `text` at line 1 column 395009'
    return sendJson(response, { error: { message, type: 'invalid_request_error' } }, 400)
  })
  const runtime = await world.start()
  const one = await run(runtime, false, { context: context() })
  assert.is(one.result.status, 'completed')
  const adapted = one.events.filter(({ type }) => type === 'model.adapted').map(({ data }) => data)
  assert.equal((adapted[0] as { learnt: string[] }).learnt, ['models.m.vision: false'])
  assert.is(one.result.warnings.filter(({ code }) => code === 'media_unseen').length, 4)
  const asked = world.server.seen.length
  assert.is(asked, 3, 'one request was refused')
  await run(runtime, false, { context: context() })
  assert.is(world.server.seen.length - asked, 2, 'none was')
  // Another runtime has not heard of it, and its models say so once it has asked.
  const other = await world.start()
  assert.is((await run(other, false, { context: context() })).result.status, 'completed')
  const known = (await other.describe()).providers.find(({ id }) => id === 'fake')?.models
  assert.is(known?.find(({ id }) => id === 'm')?.vision, false)
  await runtime.close()
  await other.close()
})

test('a run that was cut off asks with the same bytes again in another process', async () => {
  const world = await makeWorld('anthropic')
  let isHanging = true
  const held: (() => void)[] = []
  world.server.answer((response, request) => {
    if (isHanging && hasResults(request.body)) {
      held.push(() => response.destroy())
      return
    }
    return sendEvents(response, say(request)[1], 4_096)
  })
  const first = await world.start()
  const { id } = await first.runs.create(
    { task: 'Describe the pictures', topology: 'SINGLE', context: context() },
    { deltas: true },
  )
  while (held.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await first.close()
  isHanging = false
  const second = await world.start()
  const result = await resultOf(second, id)
  assert.is(result.summary, 'I have seen them.')
  assert.is(world.server.seen.length, 3)
  assert.equal(world.server.seen[2]?.body, world.server.seen[1]?.body)
  assert.equal(await second.runs.replay(id), { identical: true })
  await second.close()
})

test('what no model takes is refused before there is a run, with the field that is wrong', async () => {
  const world = await makeWorld('openai')
  const runtime = await world.start()
  const large = Buffer.concat([PNG, Buffer.alloc(4_000_000)])
  const wrongs: [ContentPart[], RegExp][] = [
    [[partOf(large, 'large.png')], /\/context\/0 large\.png: has 400\d{4} bytes; an image may have at most 3932160/],
    [
      [
        { type: 'text', text: 'a' },
        { type: 'image', mimeType: 'image/png', data: '' },
      ],
      /\/context\/1 image: data must be base64/,
    ],
    [
      [{ type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zz4=' }],
      /data must be a PNG, JPEG, GIF or WebP image, or a PDF/,
    ],
    [[{ type: 'image', mimeType: 'image/jpeg', data: PNG.toString('base64') }], /mimeType must be image\/png/],
    [[{ type: 'file', mimeType: 'image/png', data: PNG.toString('base64') }], /type must be image for image\/png/],
    [Array.from({ length: 21 }, () => partOf(PNG, 'a.png')), /holds 21 images and files; at most 20/],
  ]
  for (const [parts, reason] of wrongs) {
    const error = await runtime.runs.create({ task: 'Look', context: parts }).then(
      () => assert.unreachable('it was taken'),
      (thrown: Error & { code: string }) => thrown,
    )
    assert.is(error?.code, 'validation_failed')
    assert.match(error?.message ?? '', reason)
  }
  assert.is(world.server.seen.length, 0)
  await runtime.close()
})

test.run()
