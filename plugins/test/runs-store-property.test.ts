import type { RunRow } from '@svc/core'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pack, unpack } from '../src/stores/postgres/runs/packed-json.ts'
import { created, eventOf, leased, newFile, newRow, openStore } from './fixtures/run-rows.ts'

const test = suite('what runs in SQLite hold comes back as it was')

/** What has to survive: quotes and backslashes, marks like our own, NUL, lone surrogates, long and very long ones. */
const pieces = fc.constantFrom(
  '"',
  '\\',
  '~',
  '0:1~',
  '\0',
  '\ud800',
  '\udfff',
  '\u2028',
  'é',
  '😀',
  'a',
  '__proto__',
  '{}',
)
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.tuple(pieces, fc.integer({ min: 200, max: 700 })).map(([piece, count]) => piece.repeat(count)),
  fc.tuple(pieces, fc.constant(17_000)).map(([piece, count]) => piece.repeat(count)),
)
const keys = fc.oneof(texts, fc.constantFrom('__proto__', 'constructor', 'toString', '-gone', '-result', 'e', 's'))
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    texts,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false, -0, 1e300),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie('value')), { maxLength: 4 }).map((pairs) => {
      const object = {}
      for (const [key, held] of pairs) {
        Object.defineProperty(object, key, { value: held, enumerable: true, configurable: true, writable: true })
      }
      return object
    }),
  ),
}))

const json = (held: unknown): string => JSON.stringify(held)

test('packing a JSON text and unpacking it gives the same text, and long strings are taken out once each', () => {
  fc.assert(
    fc.property(value, (held) => {
      const literals: string[] = []
      const packed = pack(json(held), (literal) => {
        const known = literals.indexOf(literal)
        return known === -1 ? literals.push(literal) - 1 : known
      })
      assert.is(
        unpack(packed, (number) => literals[number] ?? ''),
        json(held),
      )
      assert.is(new Set(literals).size, literals.length)
      assert.ok(literals.every(({ length }) => length >= 256))
    }),
  )
})

test('events, outcomes and rows are read as they were written, also by another handle', async () => {
  const file = newFile()
  const store = openStore(file)
  const other = openStore(file)
  let count = 0
  const commits = fc.array(fc.record({ events: fc.array(value, { maxLength: 3 }), outcome: value, field: value }), {
    minLength: 1,
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(commits, texts, texts, async (writes, name, task) => {
      const row = newRow(`run_${++count}${name}`, { task: task || 'x', tags: [name], threadId: `thr${name}` })
      const lease = await leased(store, row)
      const [events, outcomes]: [unknown[], unknown[]] = [[created(row).data], []]
      for (const [index, { events: data, outcome, field }] of writes.entries()) {
        const step = {
          key: `${name}${index}`,
          effect: 'pure' as const,
          state: 'done' as const,
          outcome,
          time: 1,
          seq: 1,
        }
        const run = { error: field } as unknown as Partial<RunRow>
        await store.commit(lease, { events: data.map((held) => eventOf(row.id, held)), steps: [step], run })
        events.push(...data)
        outcomes.push([step.key, outcome])
        assert.is(json((await other.runs.get(row.id))?.error), json(field))
      }
      for (const handle of [store, other]) {
        const read = await handle.events.list(row.id)
        assert.is(json(read.map(({ data }) => data)), json(events))
        assert.equal(
          read.map(({ seq }) => seq),
          events.map((_, index) => index + 1),
        )
        assert.ok(read.every(({ runId, v }) => runId === row.id && v === 1))
        assert.is(json((await handle.steps(row.id)).map(({ key, outcome }) => [key, outcome])), json(outcomes))
        const stored = await handle.runs.get(row.id)
        assert.is(
          json([stored?.id, stored?.task, stored?.tags, stored?.threadId]),
          json([row.id, row.task, row.tags, row.threadId]),
        )
        assert.equal((await handle.runs.list({ tag: name, limit: 1 })).data[0]?.id, row.id)
        assert.equal((await handle.runs.list({ threadId: row.threadId ?? '', limit: 1 })).data[0]?.id, row.id)
      }
    }),
    { numRuns: process.env.SVC_NIGHTLY ? 60 : 30 },
  )
  await store.close()
  await other.close()
})

test('a row keeps the fields that commits have changed, and no field that they have taken away', async () => {
  const store = openStore(newFile())
  let count = 0
  const fields = fc.constantFrom('topology', 'waiting', 'inherits', 'released', 'error', 'startedAt', 'result')
  const changes = fc.array(fc.dictionary(fields, fc.option(value, { nil: undefined })), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(changes, fc.boolean(), async (patches, isReopened) => {
      const row = newRow(`run_${++count}`, { inherits: { runId: 'run_0' } })
      const lease = await leased(store, row)
      const expected = new Map<string, unknown>(Object.entries(row))
      for (const patch of patches) {
        await store.commit(lease, { run: patch as Partial<RunRow> })
        for (const [name, held] of Object.entries(patch)) {
          if (held === undefined) expected.delete(name)
          else expected.set(name, held)
        }
        // What this handle knows of the run is forgotten, and read again.
        if (isReopened) await store.commit({ ...lease, epoch: -1 }, {}).catch(() => {})
      }
      expected.set('lastSeq', 1)
      expected.set('version', 1 + patches.length)
      const stored = new Map(Object.entries((await store.runs.get(row.id)) ?? {}))
      assert.equal([...stored.keys()].sort(), [...expected.keys()].sort())
      for (const [name, held] of expected) assert.is(json(stored.get(name)), json(held), name)
    }),
    { numRuns: process.env.SVC_NIGHTLY ? 60 : 30 },
  )
  await store.close()
})

test.run()
