/** A recorded run is checked as a whole before anything of it is kept: each field, whatever it holds. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createMemoryStore, type Runtime, SvcError } from '../../src/index.ts'
import { exported, headOf, signed } from '../fixtures/run-files.ts'
import { ended, model, start, tool, toolbox } from '../fixtures/runtimes.ts'
import { execution, tiny } from '../fixtures/tiny-plugins.ts'

const test = suite('s37 bundles')

type Line = Record<string, unknown>

const act = tiny({
  execute: async (run) => {
    await run.model({ key: 'm', agentId: 'agent-1', model: '', messages: [], stream: false })
    await run.tool({ key: 't', agentId: 'agent-1', callId: 'c1', tool: 'look', args: { at: 'a' } })
    return execution('done')
  },
})
const open = (): Promise<Runtime> =>
  start([toolbox(tool('look', async () => 'x'.repeat(200_000))), act, model()], { store: createMemoryStore() })

let original: Line[] = []
let id = ''

test.before(async () => {
  const runtime = await open()
  ;({ id } = await runtime.runs.create({ task: 'x' }))
  await ended(runtime, id)
  original = await exported(runtime, id)
  await runtime.close()
})

/** What became of the file with a change: the error, or undefined where it was taken in. */
async function imported(change: (lines: Line[]) => unknown): Promise<SvcError | undefined> {
  const lines = structuredClone(original)
  const made = change(lines)
  const runtime = await open()
  try {
    await runtime.runs.import(signed(Array.isArray(made) ? made : lines))
    return undefined
  } catch (thrown) {
    if (!SvcError.isInstance(thrown)) throw thrown
    assert.equal((await runtime.runs.list()).data, [], 'nothing is kept')
    return thrown
  } finally {
    await runtime.close()
  }
}

const eventOf = (lines: readonly Line[], n: number): Line => lines.filter(({ v }) => v === 1)[n - 1] as Line
const stepOf = (lines: readonly Line[]): Line => lines.find(({ step }) => step)?.step as Line
const atEvent = (n: number): number => original.indexOf(eventOf(original, n))
const atStep = (): number => original.findIndex(({ step }) => step)

/** A line with a key that only JSON can hold. */
const withProto = (line: Line, name: string): string => JSON.stringify(line).replace(/^\{/, `{"${name}":{"x":1},`)

const WRONG: Record<string, { change: (lines: Line[]) => unknown; path: () => string }> = {}
for (const [field, values] of Object.entries({
  v: [0, '1', null],
  type: [
    '__proto__',
    'constructor',
    'toString',
    'a b',
    'run.',
    7,
    null,
    `a.${'b'.repeat(1e6)}`,
    'run.created\n',
    'message.delta',
  ],
  time: [0, 1e20, '', 'yesterday', '2026-13-45T99:99:99Z', '0'.repeat(1e6), null, {}],
  runId: ['run_0', 7, null],
  seq: [0, 3, -1, 1.5, '2', 1e300, null],
  data: [null, 'x', 7, []],
  stage: [7, {}, 'x'.repeat(1e6)],
  agentId: [7, null, ['a']],
  callId: [{}, 'x'.repeat(1e6)],
  threadId: [7],
  approvalId: [true],
  extra: ['unknown'],
}))
  for (const value of values)
    WRONG[`an event whose ${field} is ${JSON.stringify(value).slice(0, 40)}`] = {
      change: (lines) => Object.assign(eventOf(lines, 2), { [field]: value }),
      path: () => `/${atEvent(2)}${field === 'extra' ? '' : `/${field}`}`,
    }
for (const [field, values] of Object.entries({
  key: [7, '', null, 'x'.repeat(1e6)],
  effect: ['other', '__proto__', null, 7],
  state: ['open', null],
  time: ['now', -1, 1e300, null],
  seq: ['1', -1, 1.5, 1e300, null],
  request: [7, {}],
  error: ['boom', { code: 7 }],
  extra: [1],
}))
  for (const value of values)
    WRONG[`a step whose ${field} is ${JSON.stringify(value).slice(0, 40)}`] = {
      change: (lines) => Object.assign(stepOf(lines), { [field]: value }),
      path: () =>
        field === 'seq' && value === 1e300 ? '/0' : `/${atStep()}/step${field === 'extra' ? '' : `/${field}`}`,
    }
for (const [field, values] of Object.entries({
  id: ['run_x', '../../etc', 7, null],
  status: ['done', null],
  createdAt: [0, 'x'.repeat(30), '2026-99-99T00:00:00.000Z', null],
  finishedAt: [1, 'x'.repeat(30)],
  format: ['x', 0, 1.5, null],
  configHash: [7, 'x'.repeat(1e6)],
  tainted: ['yes'],
  taintedSpan: [{}, 7, { from: 'a', to: 1 }],
  task: ['something harmless'],
  mode: ['plan'],
  create: [null, { task: '' }, { task: 'x', unknown: 1 }, { task: 'x', budget: { maxSteps: 0 } }],
  usage: [null, { inputTokens: 'many' }],
  limits: [{ tokenBudget: 0 }],
}))
  for (const value of values)
    WRONG[`a run whose ${field} is ${JSON.stringify(value).slice(0, 40)}`] = {
      change: (lines) => Object.assign(headOf(lines).run, { [field]: value }),
      path: () => `/0/run/${field}`,
    }

test('each wrong field is refused with its line and its name, and nothing of the file is kept', async () => {
  const missed: string[] = []
  for (const [what, { change, path }] of Object.entries(WRONG)) {
    const error = await imported(change)
    const paths = (error as { errors?: { path: string }[] } | undefined)?.errors?.map((each) => each.path) ?? []
    const isNamed = paths.some((each) => each.startsWith(path()))
    const isShort = (error?.message.length ?? 0) < 1_000
    if (error?.code !== 'validation_failed' || !isNamed || !isShort)
      missed.push(`${what}: ${error?.code} ${paths} ${path()}`)
  }
  assert.equal(missed, [])
})

test('what is wrong with the lines together is refused too', async () => {
  const end = (lines: Line[]): Line => lines.findLast(({ type }) => String(type).startsWith('run.c')) as Line
  const changes: Record<string, (lines: Line[]) => unknown> = {
    'an event twice': (lines) => [...lines.slice(0, atEvent(2)), eventOf(lines, 2), ...lines.slice(atEvent(2))],
    'an event less': (lines) => lines.filter((line) => line !== eventOf(lines, 2)),
    'two events in each other’s place': (lines) => {
      const [a, b] = [atEvent(2), atEvent(3)]
      return lines.map((line, at) => (at === a ? lines[b] : at === b ? lines[a] : line))
    },
    'no event': (lines) => lines.filter(({ v }) => v !== 1),
    'another first event': (lines) =>
      void Object.assign(eventOf(lines, 1), { type: 'run.queued', data: { position: 1 } }),
    'an end before the end': (lines) =>
      void Object.assign(eventOf(lines, 3), { type: end(lines).type, data: end(lines).data }),
    'a step after the last event': (lines) => void Object.assign(stepOf(lines), { seq: 9_999 }),
    'bytes that nothing names': (lines) => [...lines, { payload: 'AAAA' }],
    'bytes that are none': (lines) => [...lines, { payload: 7 }],
    'bytes that are no base64': (lines) => [...lines, { payload: '<script>' }],
    'a lock that is none': (lines) => [...lines, { lock: 'x' }],
    'a field __proto__ of an event': (lines) =>
      lines.map((line) => (line === eventOf(lines, 2) ? withProto(line, '__proto__') : line)),
  }
  for (const [what, change] of Object.entries(changes))
    assert.is((await imported(change))?.code, 'validation_failed', what)
})

test('whatever stands in the place of a field, it is refused or harmless: nothing else is thrown', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'length', 'then']
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom(...names), fc.constant('x'.repeat(5_000)))
  const change = fc.record({ line: fc.nat(), path: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), value })
  await fc.assert(
    fc.asyncProperty(change, async ({ line, path, value: put }) => {
      const lines = structuredClone(original)
      let part = lines[line % lines.length] as Record<string, unknown>
      for (const [depth, n] of path.entries()) {
        const keys = Object.keys(part)
        const key = keys[n % Math.max(1, keys.length)] ?? 'x'
        const inner = part[key]
        if (depth === path.length - 1 || typeof inner !== 'object' || inner === null) {
          part[key] = put
          break
        }
        part = inner as typeof part
      }
      const runtime = await open()
      try {
        const run = await runtime.runs.import(signed(lines))
        await exported(runtime, run.id)
        await runtime.runs.replay(run.id)
      } catch (thrown) {
        assert.ok(SvcError.isInstance(thrown), String(thrown))
        assert.not.equal(thrown.code, 'internal_error', thrown.message)
      } finally {
        await runtime.close()
      }
    }),
    { numRuns: 150 },
  )
  assert.is(({} as { x?: unknown }).x, undefined)
})

test('the file as it was written is taken in whole, with its large values', async () => {
  const runtime = await open()
  await runtime.runs.import(signed(original))
  assert.ok(original.some(({ payload }) => payload))
  assert.equal(await exported(runtime, id), original)
  assert.equal(await runtime.runs.replay(id), { identical: true })
  await runtime.close()
})

test.run()
