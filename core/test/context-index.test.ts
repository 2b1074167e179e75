import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ContextIndex, type IndexedText, type IndexFilter } from '../src/components/three-layer-memory/index.ts'

const test = suite('context index')

const WORDS = ['crane', 'harbour', 'pier', 'ship', 'rope', 'sail', 'mast', 'anchor']
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((all) => all.join(' '))
const moment = fc.integer({ min: 0, max: 20 })
const id = fc.integer({ min: 0, max: 60 }).map(String)
/** Most texts are always true, so that searches one after the other see the same. */
const from = fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: moment })
const to = fc.oneof({ weight: 9, arbitrary: fc.constant(100) }, { weight: 1, arbitrary: moment })
const group = fc.record({ thread: fc.constantFrom('a', 'b', undefined), archived: fc.constantFrom(false, false, true) })

const text = fc.record(
  {
    id,
    text: fc.tuple(words, fc.constantFrom('', '?')).map((parts) => parts.join('')),
    at: moment,
    group,
    author: fc.constantFrom('Mara', 'Jonas'),
    session: fc.constantFrom('one', 'two', 'three'),
    importance: fc.constantFrom(0, 0.5, 1),
    from,
    to,
  },
  { requiredKeys: ['id', 'text', 'at', 'group'] },
)

/** What is done to the index; every change is followed by searches. */
const change = fc.oneof(
  { weight: 20, arbitrary: fc.record({ add: text }) },
  { weight: 4, arbitrary: fc.record({ remove: fc.array(id, { minLength: 1, maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ update: id, group, from, to, importance: fc.constant(0.7) }) },
)
const search = fc.record({ query: words, now: moment, thread: fc.constantFrom('a', 'b', undefined, 'all') })

const filterOf = (thread: string | undefined): IndexFilter | undefined =>
  thread === 'all'
    ? undefined
    : { key: `thread ${thread}`, accepts: (of) => of.thread === thread && of.archived !== true }

const kindOf = (of: { archived?: unknown }): string => (of.archived === true ? 'old' : 'new')

test('an index that was changed step by step finds what one that was made at once finds, in the same order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(change, search, search), { maxLength: 60 }), (steps) => {
      const index = new ContextIndex()
      const texts = new Map<string, IndexedText>()
      for (const [done, ...searches] of steps) {
        if ('add' in done) {
          index.add(done.add)
          texts.delete(done.add.id)
          texts.set(done.add.id, done.add)
        } else if ('remove' in done) {
          index.remove(...done.remove)
          for (const one of done.remove) texts.delete(one)
        } else {
          const { update, ...changed } = done
          const known = texts.get(update)
          index.update(update, changed)
          if (known !== undefined) texts.set(update, { ...known, ...changed })
        }
        const fresh = new ContextIndex()
        for (const one of texts.values()) fresh.add(one)
        for (const { query, now, thread } of searches) {
          const options = { limit: 5, now, filter: filterOf(thread), kindOf }
          assert.equal(index.search(query, options), fresh.search(query, options))
        }
      }
    }),
  )
})

test('words that many texts hold are counted as if for the first time, with what neighbours lend', () => {
  const texts = Array.from({ length: 200 }, (_, nth) => ({
    id: String(nth),
    text: nth % 3 === 0 ? 'crane harbour' : `pier number${nth}`,
    at: nth,
    // Sessions of four, and texts that stand alone.
    ...(nth % 8 < 4 ? { session: `session ${Math.floor(nth / 8)}` } : {}),
    ...(nth % 50 === 7 ? { author: 'Mara' } : {}),
    group: { thread: 'a' },
  }))
  const index = new ContextIndex()
  const options = { limit: 5, now: 500, filter: filterOf('a'), kindOf }
  for (const [nth, text] of texts.entries()) {
    index.add(text)
    const found = index.search('crane in the harbour pier', options)
    const fresh = new ContextIndex()
    for (const one of texts.slice(0, nth + 1)) fresh.add(one)
    assert.equal(found, fresh.search('crane in the harbour pier', options))
  }
  const left = new Map(texts.map((one) => [one.id, one]))
  for (let nth = 4; nth < 200; nth += 5) {
    index.remove(...[nth, nth + 1].map(String))
    for (const id of [nth, nth + 1].map(String)) left.delete(id)
    const fresh = new ContextIndex()
    for (const one of left.values()) fresh.add(one)
    assert.equal(index.search('crane in the harbour pier', options), fresh.search('crane in the harbour pier', options))
  }
})

test('a search that asks for a share of the query finds what another search finds that holds it', () => {
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 40 }),
      words,
      moment,
      fc.double({ min: 0.1, max: 1 }),
      (texts, query, now, minCoverage) => {
        const index = new ContextIndex()
        for (const one of texts) index.add(one)
        const options = { limit: 50, now, kindOf }
        const holding = index.search(query, options).filter(({ parts }) => (parts.coverage ?? 0) >= minCoverage)
        assert.equal(index.search(query, { ...options, minCoverage }), holding)
      },
    ),
  )
})

test.run()
