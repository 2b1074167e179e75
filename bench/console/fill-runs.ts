import type { NewEvent, RunRow, RunStatus } from '@svc/core'
import { SqliteStore } from '@svc/plugins'

const SIDE_BY_SIDE = 100
const STATUSES: readonly RunStatus[] = [
  'completed',
  'completed',
  'completed',
  'completed',
  'failed',
  'incomplete',
  'cancelled',
]
const TOPOLOGIES = ['SINGLE', 'SINGLE', 'CENTRALIZED', 'PARALLEL'] as const
const MINUTE_MS = 60_000

/** Writes runs that have ended into a SQLite file, as a worker does, without waiting for the disk: one a minute until now. */
export async function fillRuns(file: string, count: number): Promise<void> {
  const store = new SqliteStore({ file, fsync: 'off' })
  const startMs = Date.now() - count * MINUTE_MS
  store.open()
  for (let from = 0; from < count; from += SIDE_BY_SIDE) {
    const numbers = Array.from({ length: Math.min(SIDE_BY_SIDE, count - from) }, (_, index) => from + index)
    await Promise.all(numbers.map((n) => store.create(rowOf(n, startMs), [eventOf(n, startMs)])))
    const claimed = await store.claim('filler', { limit: SIDE_BY_SIDE, ttlMs: MINUTE_MS })
    await Promise.all(
      claimed.map(async ({ run, lease }) => {
        await store.commit(lease, { events: [], run: endOf(Number(run.id.slice(4)), startMs) })
        await store.release(lease)
      }),
    )
  }
  await store.close()
}

const timeOf = (n: number, startMs: number, more = 0): string => new Date(startMs + n * MINUTE_MS + more).toISOString()
const idOf = (n: number): string => `run_${String(n).padStart(26, '0')}`

function rowOf(n: number, startMs: number): RunRow {
  const task = `Read report ${n} of the shop, say which of its figures changed since the last one, and name the reasons`
  return {
    id: idOf(n),
    status: 'queued',
    mode: n % 10 === 0 ? 'plan' : 'execute',
    task,
    recoveries: 0,
    version: 1,
    createdAt: timeOf(n, startMs),
    lastSeq: 0,
    agents: [],
    usage: { inputTokens: 0, outputTokens: 0, estimated: false, modelCalls: 0 },
    costUsd: 0,
    tags: [`shop-${n % 20}`, 'reports'],
    links: {},
    format: 1,
    create: { task },
    configHash: 'hash',
  }
}

const eventOf = (n: number, startMs: number): NewEvent => ({
  v: 1,
  type: 'run.queued',
  time: timeOf(n, startMs),
  runId: idOf(n),
  data: { position: 0 },
})

function endOf(n: number, startMs: number): Partial<RunRow> {
  const topology = TOPOLOGIES[n % TOPOLOGIES.length] ?? 'SINGLE'
  const agents = topology === 'SINGLE' ? 1 : 3
  return {
    status: STATUSES[n % STATUSES.length] ?? 'completed',
    topology,
    agents: Array.from({ length: agents }, (_, index) => ({
      id: `agent-${index + 1}`,
      name: `Agent ${index + 1}`,
      status: 'completed' as const,
    })),
    usage: { inputTokens: 900 + (n % 700) * 13, outputTokens: 100 + (n % 90), estimated: false, modelCalls: agents },
    costUsd: (n % 200) / 1_000,
    startedAt: timeOf(n, startMs, 40),
    finishedAt: timeOf(n, startMs, 400 + (n % 977) * 31),
  }
}
