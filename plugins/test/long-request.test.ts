/** What a client brings along is kept beside a run's row: each image once, and read when it is asked for. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GivenTurn, RunCreate, RunRow } from '@svc/core'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'
import { toLong, toShort } from '../src/stores/long-request.ts'

const test = suite('long requests')

const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string() }),
  fc.record({ type: fc.constant('image'), mimeType: fc.string(), data: fc.base64String({ maxLength: 20_000 }) }),
  // No bytes are written like this.
  fc.record({
    type: fc.constant('image'),
    mimeType: fc.string(),
    data: fc.string({ minLength: 8_190, maxLength: 9_000 }),
  }),
)
const turns = fc.array(
  fc.record({ role: fc.string(), content: fc.string(), context: fc.array(part, { maxLength: 3 }) }),
)

test('whatever is asked for comes back as it was, and nothing long stands in the request', () => {
  const create = fc.record(
    { task: fc.string(), turns, context: fc.oneof(fc.string(), fc.array(part, { maxLength: 4 })) },
    { requiredKeys: ['task'] },
  )
  fc.assert(
    fc.property(create, (create) => {
      const long = new Map<string, Buffer>()
      const request = { by: 'somebody', create }
      const short = toShort(structuredClone(request), long)
      const back = toLong(JSON.parse(JSON.stringify(short)), 'run_1', (ref) => long.get(ref))
      assert.is(JSON.stringify(back), JSON.stringify(request))
    }),
  )
})

test('a part that is gone is said when it is asked for, and no row is lost for it', () => {
  const long = new Map<string, Buffer>()
  const create = { task: 'x', context: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(12_000) }] }
  const back = toLong(toShort({ create }, long), 'run_1', () => undefined) as { create: RunCreate }
  assert.is(back.create.task, 'x')
  assert.throws(() => JSON.stringify(back), /run run_1: what came with its task is damaged/)
})

const png = (seed: number): string =>
  Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(60_000, seed)]).toString('base64')
const withImages = (count: number): GivenTurn[] => [
  {
    role: 'user',
    content: 'See.',
    context: Array.from({ length: count }, (_, at) => ({ type: 'image', mimeType: 'image/png', data: png(at) })),
  },
  { role: 'assistant', content: 'I see.' },
]

test('runs of one conversation keep an image once, and each keeps it as long as it is there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-long-'))
  const config = { provider: 'offline', store: { url: `sqlite:${join(folder, 'svc.db')}` } }
  const runtime = await createRuntime(config, { env: {} })
  const start = async (count: number): Promise<RunRow> => {
    const { run, done } = await runtime.runs.start({ task: 'What is 2+2?', turns: withImages(count) })
    await done
    return run as RunRow
  }
  const first = await start(3)
  const second = await start(4)
  const exported = async (id: string): Promise<string> => {
    let text = ''
    for await (const line of runtime.runs.export(id)) text += line
    return text
  }
  const whole = await exported(second.id)
  for (let at = 0; at < 4; at++) assert.ok(whole.includes(png(at)), `image ${at}`)
  await runtime.runs.delete(first.id)
  assert.is(await exported(second.id), whole)
  await runtime.close()
  rmSync(folder, { recursive: true, force: true })
})

test.run()
