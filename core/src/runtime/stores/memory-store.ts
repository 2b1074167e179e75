import { createHash } from 'node:crypto'
import type { RunEvent } from '../../contracts/event.ts'
import type { Journal, Lease } from '../../contracts/journal.ts'
import type { Page } from '../../contracts/page.ts'
import { isTerminal } from '../../contracts/run.ts'
import type { Collection, ListQuery, Store, StoredRun } from '../../contracts/store.ts'
import { NotFoundError, ValidationError } from '../../errors.ts'
import { createRecords, MemoryJournal, type RunRecords } from '../journal/keyed-journal.ts'

export interface MemoryStoreSettings {
  /** Default the system's. */
  clock?: () => number
  /** Finished runs beyond this many are dropped, oldest first. Default 1000. */
  keepRuns?: number
}

/**
 * A store that lives as long as the process. Two runtimes may share one: what a runtime that was cut off has recorded,
 * the next one goes on from.
 */
export function createMemoryStore(settings: MemoryStoreSettings = {}): Store {
  const clock = settings.clock ?? Date.now
  const keepRuns = settings.keepRuns ?? 1000
  const records = new Map<string, RunRecords>()
  const leases = new Map<string, Lease>()
  const payloads = new Map<string, Uint8Array>()
  const runs = createCollection<StoredRun>()

  const recordsOf = (runId: string): RunRecords => {
    let found = records.get(runId)
    if (found === undefined) {
      found = createRecords(clock())
      records.set(runId, found)
    }
    return found
  }

  const forget = (runId: string): void => {
    records.delete(runId)
    leases.delete(runId)
  }

  const dropOldest = async (): Promise<void> => {
    for (const [id, { run }] of runs.entries()) {
      if (runs.size() <= keepRuns) return
      if (!isTerminal(run.status)) continue
      forget(id)
      await runs.delete(id)
    }
  }

  return {
    async open() {},
    async close() {},
    journal(runId: string, lease: Lease): Journal {
      return new MemoryJournal(runId, recordsOf(runId), lease, clock)
    },
    async lease(runId, owner, ttlMs) {
      const now = clock()
      const held = leases.get(runId)
      if (held !== undefined && held.owner !== owner && held.expiresAt > now) return undefined
      const kept = recordsOf(runId)
      if (held?.owner !== owner) kept.epoch++
      const lease = { runId, owner, epoch: kept.epoch, expiresAt: now + ttlMs }
      leases.set(runId, lease)
      return lease
    },
    async release(lease) {
      if (leases.get(lease.runId)?.epoch === lease.epoch) leases.delete(lease.runId)
    },
    async copyOutcomes(fromRunId, toRunId, untilSeq = Number.POSITIVE_INFINITY, edit = undefined) {
      const from = recordsOf(fromRunId)
      const to = recordsOf(toRunId)
      for (const [key, step] of from.steps) {
        if (step.seq > untilSeq) continue
        // What was begun and not recorded as done goes along too: it must not be done again unasked.
        const outcome =
          edit === undefined || step.outcome === undefined
            ? step.outcome
            : JSON.stringify(edit(JSON.parse(step.outcome)))
        to.steps.set(key, { ...step, outcome, seq: 0 })
      }
      if (untilSeq === Number.POSITIVE_INFINITY)
        for (const [key, resolution] of from.resolutions) to.resolutions.set(key, resolution)
    },
    runs: {
      ...runs,
      async put(id, value) {
        await runs.put(id, value)
        if (runs.size() > keepRuns) await dropOldest()
      },
      async delete(id) {
        forget(id)
        return runs.delete(id)
      },
    },
    events: {
      async list(runId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}): Promise<RunEvent[]> {
        return (records.get(runId)?.events ?? []).slice(after, after + limit)
      },
      async delete(runId) {
        forget(runId)
      },
    },
    threads: createCollection(),
    agents: createCollection(),
    approvals: createCollection(),
    memories: createCollection(),
    idempotency: createCollection(),
    payloads: {
      async put(bytes) {
        const ref = createHash('sha256').update(bytes).digest('hex')
        payloads.set(ref, bytes)
        return ref
      },
      get: async (ref) => payloads.get(ref),
    },
  }
}

/** A collection that also tells its size and its entries, oldest first. */
export interface MemoryCollection<T> extends Collection<T> {
  size(): number
  entries(): IterableIterator<[string, T]>
}

/** Records in a Map, listed in the order in which they were first put. */
export function createCollection<T>(): MemoryCollection<T> {
  const items = new Map<string, T>()
  return {
    size: () => items.size,
    entries: () => items.entries(),
    get: async (id) => items.get(id),
    async put(id, value) {
      items.set(id, value)
    },
    delete: async (id) => items.delete(id),
    list: async (query) => toPage([...items], query),
  }
}

/**
 * Cuts one page out of a list.
 *
 * @param matches what is listed at all; a cursor stays good when its item matches no more
 * @param items ids with their values, oldest first
 * @throws ValidationError `validation_failed` for a bad limit, `invalid_cursor` for an unknown cursor
 */
export function toPage<T>(
  items: readonly (readonly [string, T])[],
  query: ListQuery = {},
  matches: (item: T) => boolean = () => true,
): Page<T> {
  const { limit = 20, after, order = 'desc' } = query
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw new ValidationError('validation_failed', `limit: must be a whole number from 1 to 100, not ${limit}`, {
      errors: [{ path: '/limit', message: 'must be a whole number from 1 to 100' }],
    })
  }
  const ordered = order === 'desc' ? items.toReversed() : items
  const start = after === undefined ? 0 : ordered.findIndex(([id]) => id === after) + 1
  if (after !== undefined && start === 0) {
    throw new ValidationError('invalid_cursor', `after: "${after}" is no cursor of this list`)
  }
  const rest = ordered.slice(start).filter(([, item]) => matches(item))
  const page = rest.slice(0, limit)
  const hasMore = limit < rest.length
  const last = page.at(-1)
  return { data: page.map(([, value]) => value), hasMore, ...(hasMore && last ? { nextCursor: last[0] } : {}) }
}

/** The value, or the documented error when there is none. */
export function found<T>(
  value: T | undefined,
  kind: 'run' | 'thread' | 'agent' | 'memory' | 'approval',
  id: string,
): T {
  if (value === undefined) throw new NotFoundError(`${kind}_not_found`, `there is no ${kind} "${id}"`)
  return value
}
