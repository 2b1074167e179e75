import fc from 'fast-check'

/** A change of one value somewhere in a JSON document. */
interface Change {
  /** Which of its values, counted through. */
  at: number
  /** undefined: the value is left out. */
  value: unknown
}

const odd = fc.constantFrom<unknown>(
  null,
  '',
  'x'.repeat(5_000),
  '\u0000',
  '../..',
  '__proto__',
  -1,
  1e308,
  true,
  [],
  {},
  [[]],
  { constructor: { prototype: 1 } },
  'run_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  'call_01ARZ3NDEKTSV4RRFFQ69G5FAV_01234567',
)

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  value: fc.oneof(odd, fc.jsonValue(), fc.constant(undefined)),
})

/** Good documents with a few of their values changed or left out, and now and then any other document. */
export const mutated = (good: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    {
      weight: 20,
      arbitrary: fc
        .tuple(fc.constantFrom(...good), fc.array(change, { maxLength: 3 }))
        .map(([document, changes]) => changes.reduce(apply, structuredClone(document))),
    },
    { weight: 1, arbitrary: fc.jsonValue() },
  )

function apply(document: unknown, { at, value }: Change): unknown {
  const places: [parent: Record<string, unknown>, key: string][] = []
  const look = (inside: unknown): void => {
    if (typeof inside !== 'object' || inside === null) return
    for (const key of Object.keys(inside)) {
      places.push([inside as Record<string, unknown>, key])
      look((inside as Record<string, unknown>)[key])
    }
  }
  look(document)
  const place = places[at % Math.max(1, places.length)]
  if (place === undefined) return structuredClone(value) ?? {}
  const [parent, key] = place
  if (value === undefined) delete parent[key]
  // A later change may change what is put in here.
  else parent[key] = structuredClone(value)
  return document
}

export interface Fuzzing {
  requests: number
  /** Requests of one server, whose store is kept in memory. */
  perServer: number
}

export const FUZZ: Fuzzing =
  process.env.SVC_NIGHTLY === '1' ? { requests: 100_000, perServer: 10_000 } : { requests: 300, perServer: 300 }

/** Counts answers, and in a nightly run says how many of each there were, and the memory after each server. */
export function createTally() {
  const counts = new Map<string, number>()
  return {
    count: (what: string | number) => counts.set(String(what), (counts.get(String(what)) ?? 0) + 1),
    report(name: string): void {
      if (process.env.SVC_NIGHTLY !== '1') return
      globalThis.gc?.()
      const { rss, heapUsed } = process.memoryUsage()
      const memory = `${Math.round(rss / 1e6)} MB, of which ${Math.round(heapUsed / 1e6)} MB heap`
      console.log(name, memory, JSON.stringify(Object.fromEntries([...counts].sort())))
    },
  }
}
