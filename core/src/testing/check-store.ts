import type { NewEvent } from '../contracts/log/event.ts'
import type { Lease, StepRow } from '../contracts/log/journal.ts'
import type { Approval } from '../contracts/run/approval.ts'
import type { ModelUse } from '../contracts/run/run.ts'
import type { Commit } from '../contracts/store/commit.ts'
import type { NewRecord, RunFilters, RunRow, Store, StoredCostQuery, StoredQuery } from '../contracts/store/store.ts'
import { SvcError } from '../errors.ts'
import type { RuleOptions } from './conformance/rules.ts'

/** What one check may use. */
interface StoreUnderTest {
  store: Store
  /** A second handle on the same rows, as another process would have. */
  other: Store
  /** Moves the clock of both forward. */
  pass(ms: number): void
  /** The time that the stores see. */
  now(): number
}

export interface StoreCheckOptions extends RuleOptions {
  /**
   * Opens two handles on the same, empty rows, both with the clock that is given.
   */
  open(clock: () => number): Promise<{ store: Store; other: Store; close(): Promise<void> }>
  /**
   * Whether the store lists what nobody works on (`RunQuery.left`), which the command line asks for, and what has waited
   * for too long (`late`), which `budget.maxQueueMs` needs where every worker is busy. Default false.
   */
  left?: boolean
}

/**
 * Tests a store against its contract: a write is atomic, fenced by the lease's epoch, and numbered without a gap; leases
 * are given once; commands, approvals and idempotency keys are kept; lists filter and page; a run is removed with all
 * that belongs to it.
 *
 * @returns what is wrong, one sentence each; empty when all is well
 */
export async function checkStore({ open, left = false, onRule }: StoreCheckOptions): Promise<string[]> {
  const problems: string[] = []
  for (const [name, check] of Object.entries(left ? { ...CHECKS, ...LEFT } : CHECKS)) {
    let time = Date.parse('2024-05-01T12:00:00.000Z')
    const findings: string[] = []
    const { store, other, close } = await open(() => time)
    try {
      await check({
        store,
        other,
        pass: (ms) => {
          time += ms
        },
        now: () => time,
      })
    } catch (thrown) {
      findings.push(thrown instanceof Error ? thrown.message : String(thrown))
    } finally {
      await close()
    }
    problems.push(...findings.map((finding) => `${name}: ${finding}`))
    onRule?.({ rule: name, says: name, result: findings.length === 0 ? 'ok' : 'failed', findings })
  }
  if (left) return problems
  const why = '`left` is not asked of it'
  for (const name of Object.keys(LEFT))
    onRule?.({ rule: name, says: name, result: 'not applicable', findings: [], why })
  return problems
}

const TTL_MS = 1_000
const DAY_MS = 86_400_000

const CHECKS: Readonly<Record<string, (check: StoreUnderTest) => Promise<void>>> = {
  async 'a new run is there at once, for every handle'({ store, other, now }) {
    const row = newRow('1', now())
    const { run, replayed } = await store.create(row, [created(row)])
    is(run.id, row.id, 'the created run')
    is(replayed, false, 'replayed')
    is((await other.runs.get(row.id))?.task, row.task, 'the task that another handle reads')
    is((await other.events.list(row.id)).length, 1, 'events of a new run')
    is((await store.runs.get(row.id))?.lastSeq, 1, 'lastSeq of a new run')
    is(await store.runs.get('run_0'), undefined, 'a run that is not there')
  },

  async 'an idempotency key makes one run, and refuses another body'({ store, other, now, pass }) {
    const key = (bodyHash: string) => ({ scope: 's', key: 'k', bodyHash, expiresAt: now() + 60_000 })
    const [one, two, three] = [newRow('1', now()), newRow('2', now()), newRow('3', now())]
    await store.create(one, [created(one)], key('same'))
    const again = await other.create(two, [created(two)], key('same'))
    is(again.replayed, true, 'replayed under a known key')
    is(again.run.id, one.id, 'the run of a known key')
    is(await other.runs.get(two.id), undefined, 'a second run of one key')
    await throws('idempotency_mismatch', async () => store.create(three, [created(three)], key('another')))
    pass(61_000)
    is((await store.create(three, [created(three)], key('another'))).replayed, false, 'replayed after the key ran out')
  },

  async 'events are numbered from 1 without a gap, in every process'({ store, now }) {
    const { row, lease } = await leased(store, now())
    await store.commit(lease, { events: [started(row), started(row)] })
    await store.commit(lease, { events: [started(row)] })
    const seqs = (await store.events.list(row.id)).map(({ seq }) => seq)
    is(seqs.join(), '1,2,3,4', 'numbers of events')
    is((await store.runs.get(row.id))?.lastSeq, 4, 'lastSeq')
    is((await store.events.list(row.id, { after: 2 })).map(({ seq }) => seq).join(), '3,4', 'events after 2')
    is((await store.events.list(row.id, { after: 1, limit: 1 })).length, 1, 'events with a limit')
    is((await store.events.list(row.id, { types: ['run.created'] })).length, 1, 'events of a type')
  },

  async 'what is committed together is there together'({ store, other, now }) {
    const { row, lease } = await leased(store, now())
    const step: StepRow = { key: 'k', effect: 'once', state: 'begun', time: now(), seq: 1 }
    const outcome = { text: 'x', list: [1, null] }
    await store.commit(lease, { steps: [step], run: { status: 'running', topology: 'SINGLE', format: 2 } })
    await store.commit(lease, { steps: [{ ...step, state: 'done', outcome }], approvals: [approvalOf(row)] })
    const steps = await other.steps(row.id)
    is(steps.length, 1, 'steps of one key')
    is(JSON.stringify(steps[0]?.outcome), JSON.stringify(outcome), 'an outcome')
    is(steps[0]?.state, 'done', 'the state of a step')
    const stored = await other.runs.get(row.id)
    is(stored?.status, 'running', 'the status')
    is(stored?.topology, 'SINGLE', 'a changed field')
    is(stored?.format, 2, 'the format')
    await store.commit(lease, { run: { topology: undefined } })
    is((await store.runs.get(row.id))?.topology, undefined, 'a field that was taken away')
    is((await other.approvals.get('apr_1'))?.status, 'pending', 'an approval')
  },

  async 'a recorded outcome belongs to nobody'({ store, now }) {
    const { row, lease } = await leased(store, now())
    const outcome = { list: ['a'] }
    await store.commit(lease, { steps: [{ key: 'k', effect: 'pure', state: 'done', outcome, time: now(), seq: 1 }] })
    const [read] = await store.steps(row.id)
    if (read !== undefined) (read.outcome as typeof outcome).list.push('b')
    const [again] = await store.steps(row.id)
    is(JSON.stringify(again?.outcome), JSON.stringify({ list: ['a'] }), 'an outcome that a reader changed')
  },

  async 'a stale lease writes nothing'({ store, other, now, pass }) {
    const { row, lease } = await leased(store, now())
    pass(TTL_MS + 1)
    const [second] = await other.claim('second', { limit: 1, ttlMs: TTL_MS })
    is(second?.run.id, row.id, 'the run that a second process claims when the lease has run out')
    await throws('lease_lost', async () => store.commit(lease, { events: [started(row)], run: { status: 'failed' } }))
    is((await store.runs.get(row.id))?.status, 'queued', 'the status after a stale write')
    is((await store.events.list(row.id)).length, 1, 'events after a stale write')
    is((await store.renew([lease], TTL_MS)).length, 0, 'stale leases that were renewed')
    await store.release(lease)
    is((await store.claim('third', { limit: 1, ttlMs: TTL_MS })).length, 0, 'runs to claim after a stale release')
    if (second !== undefined) await other.commit(second.lease, { events: [started(row)] })
  },

  async 'a run is claimed once, oldest first, and again when it is released'({ store, other, now, pass }) {
    const rows = ['1', '2', '3'].map((n) => newRow(n, now()))
    for (const row of rows) await store.create(row, [created(row)])
    const first = await store.claim('a', { limit: 2, ttlMs: TTL_MS })
    const second = await other.claim('b', { limit: 5, ttlMs: TTL_MS })
    is(first.map(({ run }) => run.id).join(), 'run_1,run_2', 'the first claim')
    is(second.map(({ run }) => run.id).join(), 'run_3', 'the second claim')
    const [one] = first
    if (one === undefined) return
    await store.release(one.lease)
    is((await store.renew([one.lease], TTL_MS)).length, 0, 'renewed leases that were released')
    const [again] = await other.claim('b', { limit: 5, ttlMs: TTL_MS })
    is(again?.run.id, 'run_1', 'a run that was released')
    ok((again?.lease.epoch ?? 0) > one.lease.epoch, 'the epoch grows')
    pass(TTL_MS - 1)
    const held = second.map(({ lease }) => lease)
    is((await other.renew(held, TTL_MS)).length, 1, 'renewed leases')
    pass(2)
    const late = await store.claim('c', { limit: 5, ttlMs: TTL_MS })
    ok(!late.some(({ run }) => run.id === 'run_3'), 'a renewed run is not claimed')
    is((await store.claim('d', { limit: 5, ttlMs: TTL_MS, accepts: () => false })).length, 0, 'refused runs')
  },

  async 'the highest priority is claimed first, of equal ones the oldest'({ store, other, now }) {
    const wanted = [0, undefined, 1, -1, 100, 1, -100]
    for (const [n, priority] of wanted.entries()) {
      const row = newRow(String(n), now())
      await store.create(priority === undefined ? row : { ...row, create: { ...row.create, priority } }, [created(row)])
    }
    const orderOf = (claimed: readonly { run: RunRow }[]): string => claimed.map(({ run }) => run.id.slice(4)).join('')
    is(orderOf(await other.claim('a', { limit: 3, ttlMs: TTL_MS })), '425', 'the first three')
    is(orderOf(await other.claim('a', { limit: 9, ttlMs: TTL_MS })), '0136', 'the others')
  },

  async 'a priority counts behind any number of others, and changes no order in a thread'({ store, now }) {
    const rows = Array.from({ length: 70 }, (_, n) => newRow(String(n), now()))
    for (const row of rows) await store.create(row, [created(row)])
    const threadId = 'thr_1'
    for (const [n, priority] of [1, 2].entries()) {
      const row = { ...newRow(`thread_${n}`, now()), threadId, create: { task: 'a task', priority } }
      await store.create(row, [created(row)])
    }
    const accepts = ({ id }: RunRow): boolean => id !== 'run_0'
    const claimed = await store.claim('a', { limit: 70, ttlMs: TTL_MS, accepts })
    is(claimed[0]?.run.id, 'run_thread_0', 'the first')
    is(claimed.length, 70, 'how many are claimed')
    is(new Set(claimed.map(({ run }) => run.id)).size, 70, 'how many of them differ')
    is(claimed.at(-1)?.run.id, 'run_69', 'the last')
  },

  async 'of a thread only the oldest unfinished run is claimed'({ store, now }) {
    const rows = ['1', '2'].map((n) => ({ ...newRow(n, now()), threadId: 'thr_1' }))
    for (const row of rows) await store.create(row, [created(row)])
    const [one] = await store.claim('a', { limit: 5, ttlMs: TTL_MS })
    is((await store.claim('a', { limit: 5, ttlMs: TTL_MS })).length, 0, 'a second run of a busy thread')
    if (one === undefined) return
    await store.commit(one.lease, { run: { status: 'completed' } })
    await store.release(one.lease)
    is((await store.claim('a', { limit: 5, ttlMs: TTL_MS }))[0]?.run.id, 'run_2', 'the next run of a thread')
  },

  async 'a named run is claimed past the order of its thread'({ store, now }) {
    const rows = ['1', '2'].map((n) => ({ ...newRow(n, now()), threadId: 'thr_1' }))
    for (const row of rows) await store.create(row, [created(row)])
    await store.claim('a', { limit: 1, ttlMs: TTL_MS })
    const [named] = await store.claim('a', { limit: 1, ttlMs: TTL_MS, only: 'run_2' })
    is(named?.run.id, 'run_2', 'the named run')
  },

  async 'a finished run is not claimed'({ store, now }) {
    const { lease } = await leased(store, now())
    await store.commit(lease, { run: { status: 'cancelled' } })
    is((await store.renew([lease], TTL_MS)).length, 0, 'renewed leases of runs that have ended')
    await store.release(lease)
    is((await store.claim('b', { limit: 5, ttlMs: TTL_MS })).length, 0, 'runs to claim')
  },

  async 'a command is kept until it is taken, and watchers hear of it'({ store, other, now }) {
    const { row, lease } = await leased(store, now())
    const heard: string[] = []
    const stop = store.watch(row.id, (id) => heard.push(id))
    const stopAll = store.watch('*', (id) => heard.push(id))
    await other.command(row.id, { id: 'cmd_1', kind: 'cancel', reason: 'r', by: 'user' })
    await other.command(row.id, { id: 'cmd_2', kind: 'input', key: 'k', value: 1, by: 'user' })
    is((await store.commands(row.id)).map(({ id }) => id).join(), 'cmd_1,cmd_2', 'commands')
    await until(() => heard.length >= 2)
    stop()
    stopAll()
    await store.commit(lease, { taken: ['cmd_1'] })
    is((await other.commands(row.id)).map(({ id }) => id).join(), 'cmd_2', 'commands that were not taken')
  },

  async 'lists filter, order and page'({ store, now, pass }) {
    for (let n = 1; n <= 5; n++) {
      const row = newRow(String(n), now())
      await store.create(
        { ...row, task: `Task ${n}`, mode: n === 1 ? 'plan' : 'execute', ...(n % 2 === 0 ? { tags: ['even'] } : {}) },
        [created(row)],
      )
      pass(1_000)
    }
    const ids = async (query: Parameters<Store['runs']['list']>[0]): Promise<string> =>
      (await store.runs.list(query)).data.map(({ id }) => id.slice(4)).join('')
    is(await ids({}), '54321', 'newest first')
    is(await ids({ order: 'asc' }), '12345', 'oldest first')
    is(await ids({ tag: 'even' }), '42', 'by tag')
    is(await ids({ mode: 'plan' }), '1', 'by mode')
    is(await ids({ q: 'task 3' }), '3', 'by text, any case')
    is(await ids({ status: 'completed' }), '', 'by status')
    const third = new Date(now() - 3_000).toISOString()
    is(await ids({ createdAfter: third }), '543', 'from a time on')
    is(await ids({ createdBefore: third }), '21', 'before a time')
    const first = await store.runs.list({ limit: 2 })
    is(first.hasMore, true, 'hasMore')
    is(await ids({ limit: 2, after: first.nextCursor ?? '' }), '32', 'the second page')
    const last = await store.runs.list({ limit: 5 })
    is(last.hasMore, false, 'hasMore of the last page')
    await throws('validation_failed', async () => store.runs.list({ limit: 0 }))
    await throws('invalid_cursor', async () => store.runs.list({ after: 'nonsense' }))
  },

  async 'lists find what an answer says, a verdict and a model'({ store, other, now }) {
    const summary = 'The Capital of Peru is Lima.\nIt lies on the coast.'
    const use = { model: 'acme/large', inputTokens: 9, outputTokens: 1, costUsd: 0.5 }
    for (const [n, status, verdict] of [
      ['1', 'completed', 'pass'],
      ['2', 'failed', 'unverified'],
      ['3', 'running', undefined],
    ] as const) {
      const row = newRow(n, now())
      await store.create({ ...row, create: { ...row.create, ...(n === '3' && { model: 'acme/small' }) } }, [
        created(row),
      ])
      const [claimed] = await store.claim('first', { limit: 1, ttlMs: TTL_MS, only: row.id })
      if (claimed === undefined) continue
      await store.commit(claimed.lease, { run: { status: 'running', ...(n !== '3' && { models: [use] }) } })
      if (verdict === undefined) continue
      const result = { runId: row.id, status, verdict, summary: n === '1' ? summary : 'No step was finished.' }
      const end = { status, verdict, result, models: [use] } as NonNullable<Commit['run']>
      await store.commit(claimed.lease, { run: end })
    }
    const ids = async (query: RunFilters): Promise<string> => {
      const runs = (await other.runs.list(query)).data.map(({ id }) => id.slice(4))
      return `${runs.join('')} ${(await other.runs.summarize?.(query))?.total ?? runs.length}`
    }
    is(await ids({ q: 'capital of PERU' }), '1 1', 'by words of the answer, any case')
    is(await ids({ q: 'lima.\nit' }), '1 1', 'by words over two lines')
    is(await ids({ q: 'a task' }), '321 3', 'by words of the task')
    is(await ids({ q: 'finished' }), '2 1', 'by words of a run that failed')
    is(await ids({ q: 'quito' }), ' 0', 'by words that none says')
    is(await ids({ verdict: 'pass' }), '1 1', 'by verdict')
    is(await ids({ verdict: 'unverified' }), ' 0', 'by the verdict of a run that failed, which has no answer')
    is(await ids({ model: 'acme/large' }), '21 2', 'by a model that was used')
    is(await ids({ model: 'acme/small' }), '3 1', 'by a model that was asked for')
    is(await ids({ model: 'acme' }), ' 0', 'by a part of a model')
    await store.runs.delete('run_1')
    is(await ids({ q: 'peru' }), ' 0', 'by words of a run that was removed')
  },

  async 'costs are added up by period, and by model or folder'({ store, other, now, pass }) {
    if (other.runs.costs === undefined) return
    const spend = async (n: string, space: string | undefined, models: ModelUse[], costUsd: number | null) => {
      const row = { ...newRow(n, now()), ...(space !== undefined && { space }), owner: `of ${space}` }
      await store.create(row, [created(row)])
      const [claimed] = await store.claim('first', { limit: 1, ttlMs: TTL_MS, only: row.id })
      const inputTokens = models.reduce((sum, use) => sum + use.inputTokens, 0)
      if (claimed !== undefined)
        await store.commit(claimed.lease, { run: { models, usage: { ...row.usage, inputTokens }, costUsd } })
    }
    const use = (model: string, inputTokens: number, costUsd: number | null): ModelUse => ({
      model,
      inputTokens,
      outputTokens: 0,
      costUsd,
    })
    // A Wednesday at noon; then a Sunday, eleven at night; then the Monday after.
    await spend('1', '/a', [use('m/one', 10, 0.5), use('m/two', 5, null)], null)
    await spend('2', '/b', [use('m/one', 20, 0.25)], 0.25)
    pass(4 * DAY_MS + 11 * 3_600_000)
    await spend('3', '/a', [use('m/one', 1, 1)], 1)
    pass(DAY_MS)
    await spend('4', undefined, [use('m/two', 2, 2)], 2)
    await spend('5', '/a', [], 0)
    const costs = async (query: Partial<StoredCostQuery>): Promise<string> => {
      const asked = { per: 'day', by: 'model', utcOffsetMinutes: 0, limit: 100, ...query } as const
      const figures = (await other.runs.costs?.(asked)) ?? []
      return figures
        .map(({ start, name, ...figure }) => [start.slice(5), name, ...Object.values(figure)].join(' '))
        .join(', ')
    }
    is(
      await costs({}),
      '05-01 m/one 2 30 0.75 0, 05-01 m/two 1 5  1, 05-05 m/one 1 1 1 0, 05-06 m/two 1 2 2 0',
      'per day, by model',
    )
    is(
      await costs({ by: 'folder' }),
      '05-01 /a 1 15  1, 05-01 /b 1 20 0.25 0, 05-05 /a 1 1 1 0, 05-06  1 2 2 0',
      'per day, by folder',
    )
    is(await costs({ per: 'week' }), '04-29 m/one 3 31 1.75 0, 04-29 m/two 1 5  1, 05-06 m/two 1 2 2 0', 'per week')
    is(await costs({ per: 'month' }), '05-01 m/one 3 31 1.75 0, 05-01 m/two 2 7 2 1', 'per month')
    is(
      await costs({ utcOffsetMinutes: 120, createdAfter: new Date(now() - 2 * DAY_MS).toISOString() }),
      '05-06 m/one 1 1 1 0, 05-07 m/two 1 2 2 0',
      'by a calendar two hours ahead, from a time on',
    )
    is(
      await costs({ space: '/b', utcOffsetMinutes: -720 }),
      '05-01 m/one 1 20 0.25 0, 05-06 m/two 1 2 2 0',
      'of one folder and of none',
    )
    is(await costs({ owner: 'of /b' }), '05-01 m/one 1 20 0.25 0', 'of one owner')
    is(await costs({ limit: 1 }), '05-01 m/one 2 30 0.75 0', 'no more than asked for')
  },

  async 'a question waits for an answer no longer than its run goes on'({ store, other, now }) {
    const { row, lease } = await leased(store, now())
    const pending = async (): Promise<number> => (await other.approvals.list({ status: 'pending' })).data.length
    await store.commit(lease, { approvals: [approvalOf(row)] })
    is(await pending(), 1, 'of a run at work')
    const asked = { ...approvalOf(row), id: 'apr_2' }
    await store.commit(lease, { approvals: [asked, { ...asked, status: 'approved' }] })
    is((await other.approvals.get('apr_2'))?.status, 'approved', 'one that is asked and answered in one commit')
    await store.commit(lease, { run: { status: 'cancelled' } })
    is(await pending(), 0, 'of a run that has ended')
    is((await other.approvals.list()).data.length, 2, 'among all')
  },

  async 'lists and summaries keep to one folder, with what is of none'({ store, other, now }) {
    for (const [n, space] of [
      ['1', '/a'],
      ['2', '/b'],
      ['3', undefined],
    ] as const) {
      const row = { ...newRow(n, now()), ...(space !== undefined && { space }) }
      await store.create(row, [created(row)])
      const [claimed] = await store.claim('first', { limit: 1, ttlMs: TTL_MS, only: row.id })
      if (claimed !== undefined)
        await store.commit(claimed.lease, { approvals: [{ ...approvalOf(row), id: `apr_${n}` }] })
    }
    const ids = async (space?: string): Promise<string> => {
      const query = space === undefined ? {} : { space }
      const runs = (await other.runs.list(query)).data.map(({ id }) => id.slice(4))
      const approvals = (await other.approvals.list(query)).data.map(({ runId }) => runId.slice(4))
      return `${runs.join('')} ${approvals.join('')} ${(await other.runs.summarize?.(query))?.total ?? runs.length}`
    }
    is(await ids(), '321 321 3', 'of all folders')
    is(await ids('/a'), '31 31 2', 'of one')
    is(await ids('/c'), '3 3 1', 'of one that has none')
  },

  async 'lists and summaries keep to one owner, whatever tags say'({ store, other, now }) {
    for (const [n, owner, tags] of [
      ['1', 'name a', []],
      ['2', 'name b', ['name a', '"owner name a.', 'owner name a.']],
      ['3', undefined, ['name a']],
    ] as const) {
      const row = { ...newRow(n, now()), ...(owner !== undefined && { owner }), tags: [...tags], by: 'a' }
      await store.create(row, [created(row)])
      const [claimed] = await store.claim('first', { limit: 1, ttlMs: TTL_MS, only: row.id })
      if (claimed !== undefined)
        await store.commit(claimed.lease, { approvals: [{ ...approvalOf(row), id: `apr_${n}` }] })
    }
    const ids = async (query: { owner: string; tag?: string }): Promise<string> => {
      const runs = (await other.runs.list(query)).data.map(({ id }) => id.slice(4))
      const approvals = (await other.approvals.list({ owner: query.owner })).data.map(({ runId }) => runId.slice(4))
      return `${runs.join('')} ${approvals.join('')} ${(await other.runs.summarize?.(query))?.total ?? runs.length}`
    }
    is(await ids({ owner: 'name a' }), '1 1 1', 'of one owner')
    is(await ids({ owner: 'name b', tag: 'name a' }), '2 2 1', 'of an owner, by tag')
    is(await ids({ owner: 'name c' }), '  0', 'of one that has none')
    is((await other.runs.get('run_1'))?.owner, 'name a', 'who it belongs to')
    is((await other.runs.get('run_1'))?.by, 'a', 'who made it')
  },

  async 'lists keep to bounds of tokens, cost and duration'({ store, other, now }) {
    const beginAt = (at: number): string => new Date(at).toISOString()
    for (let n = 1; n <= 4; n++) {
      const row = newRow(String(n), now())
      await store.create(row, [created(row)])
      const [claimed] = await store.claim('first', { limit: 1, ttlMs: TTL_MS })
      if (n === 4 || claimed === undefined) continue
      // The third is still at work, the first has no known price.
      const usage = { ...row.usage, inputTokens: n * 10, outputTokens: n }
      const began = { startedAt: beginAt(now()), usage, costUsd: n === 1 ? null : n / 4 }
      await store.commit(claimed.lease, { run: { status: 'running', ...began } })
      if (n === 3) continue
      const finishedAt = beginAt(now() + n * 1_000)
      await store.commit(claimed.lease, { run: { status: n === 1 ? 'completed' : 'failed', finishedAt } })
    }
    const ids = async (query: RunFilters): Promise<string> =>
      (await other.runs.list(query)).data.map(({ id }) => id.slice(4)).join('')
    is(await ids({ minTokens: 22 }), '32', 'from a number of tokens on')
    is(await ids({ maxTokens: 22 }), '421', 'up to a number of tokens')
    is(await ids({ minTokens: 11, maxTokens: 22, status: 'failed' }), '2', 'between two numbers of tokens')
    is(await ids({ minCostUsd: 0 }), '32', 'from a cost on')
    is(await ids({ maxCostUsd: 0.5 }), '2', 'up to a cost')
    is(await ids({ minDurationMs: 1_001 }), '2', 'from a duration on')
    is(await ids({ maxDurationMs: 2_000 }), '21', 'up to a duration')
    if (other.runs.summarize === undefined) return
    const summary = async (filters: RunFilters): Promise<string> => {
      const { total, byStatus, durationMs, tokens, costUsd, unpriced } = (await other.runs.summarize?.(filters)) ?? {}
      const counts = Object.entries(byStatus ?? {}).flatMap(([status, count]) =>
        count > 0 ? [`${count} ${status}`] : [],
      )
      return [total, ...counts.sort(), durationMs?.p50, durationMs?.p95, tokens, costUsd, unpriced].join()
    }
    is(await summary({}), '4,1 completed,1 failed,1 queued,1 running,1000,2000,66,1.25,2', 'a summary of all')
    is(await summary({ minTokens: 22 }), '2,1 failed,1 running,2000,2000,55,1.25,0', 'a summary within bounds')
    is(await summary({ status: 'completed' }), '1,1 completed,1000,1000,11,,1', 'a summary without a known cost')
    is(await summary({ tag: 'none' }), '0,,,0,0,0', 'a summary of nothing')
  },

  async 'runs that have ended are found with what they take, the last to end first'({ store, other, now, pass }) {
    if (store.runs.ended === undefined) return
    const ref: string[] = []
    for (const [id, status] of [
      ['1', 'completed'],
      ['2', 'failed'],
      ['3', 'completed'],
      ['4', undefined],
    ] as const) {
      const row = newRow(id, now())
      row.space = id === '3' ? '/b' : '/a'
      await store.create(row, [created(row)])
      const [claimed] = await store.claim('first', { limit: 1, ttlMs: TTL_MS, only: row.id })
      if (claimed === undefined) throw new Error('a new run cannot be claimed')
      const { lease } = claimed
      if (id < '3') ref.push(await store.payloads.put(row.id, Buffer.alloc(1_000)))
      if (status !== undefined) await store.commit(lease, { run: { status } })
      await store.release(lease)
      pass(1_000)
    }
    const ids = async (query: Omit<StoredQuery, 'limit'> & { limit?: number }): Promise<string> =>
      ((await other.runs.ended?.({ limit: 9, ...query })) ?? []).map(({ id }) => id.slice(4)).join('')
    is(await ids({}), '321', 'all that have ended')
    is(await ids({ limit: 2 }), '32', 'the first two')
    is(await ids({ space: '/a' }), '21', 'those of one space')
    is(await ids({ status: 'completed' }), '31', 'those of one status')
    const [, second, first] = (await store.runs.ended({ limit: 9 })) ?? []
    is(await ids({ ...(second && { after: second }) }), '1', 'those that ended before another')
    is(await ids({ after: { id: '', endedAt: second?.endedAt ?? 0 } }), '1', 'those that ended before a time')
    is((first?.endedAt ?? 0) + 1_000, second?.endedAt, 'when they ended')
    const together = (first?.bytes ?? 0) + (second?.bytes ?? 0)
    is(together > 1_000 && together < 4_000, true, `a payload of two counted once: ${together} bytes`)
    await store.runs.delete(second?.id ?? '')
    is(await ids({}), '31', 'without one that was removed')
    const alone = (await other.runs.ended?.({ limit: 1, space: '/a' }))?.[0]?.bytes ?? 0
    is(alone, (first?.bytes ?? 0) + 500, 'a payload of one run alone')
  },

  async 'a run is removed with all that belongs to it'({ store, now }) {
    const { row, lease } = await leased(store, now(), { scope: 's', key: 'k', bodyHash: 'h', expiresAt: now() + 9_000 })
    const ref = await store.payloads.put(row.id, Buffer.from('large'))
    is(Buffer.from((await store.payloads.get(ref)) ?? []).toString(), 'large', 'a payload')
    const step: StepRow = { key: 'k', effect: 'pure', state: 'done', outcome: 1, time: now(), seq: 1 }
    await store.commit(lease, { steps: [step], approvals: [approvalOf(row)], run: { status: 'completed' } })
    await store.command(row.id, { id: 'cmd_1', kind: 'cancel', reason: 'r', by: 'user' })
    await store.runs.delete(row.id)
    is(await store.runs.get(row.id), undefined, 'the run')
    is((await store.events.list(row.id)).length, 0, 'its events')
    is((await store.steps(row.id)).length, 0, 'its steps')
    is((await store.approvals.list()).data.length, 0, 'its approvals')
    is((await store.commands(row.id)).length, 0, 'its commands')
    is(await store.payloads.get(ref), undefined, 'its payloads')
    const again = newRow('2', now())
    const key = { scope: 's', key: 'k', bodyHash: 'other', expiresAt: now() + 9_000 }
    is((await store.create(again, [created(again)], key)).replayed, false, 'its idempotency key')
  },

  async 'records are put, listed, read and removed'({ store }) {
    const thread = (id: string) => ({ id, metadata: {}, version: 1, createdAt: ISO, updatedAt: ISO })
    for (const id of ['thr_1', 'thr_2', 'thr_3']) await store.threads.put(id, thread(id))
    await store.threads.put('thr_2', { ...thread('thr_2'), title: 'two' })
    is((await store.threads.get('thr_2'))?.title, 'two', 'a record that was put again')
    is((await store.threads.list({ order: 'asc' })).data.map(({ id }) => id).join(), 'thr_1,thr_2,thr_3', 'a list')
    is(await store.threads.delete('thr_1'), true, 'removing what is there')
    is(await store.threads.delete('thr_1'), false, 'removing what is not')
    is(await store.threads.replace('thr_2', undefined, thread('thr_2')), false, 'taking an id that is taken')
    is(await store.threads.replace('thr_4', undefined, thread('thr_4')), true, 'taking an id that is free')
  },

  async 'conversations are listed by when something happened in them, page by page'({ store, other }) {
    const put = (n: string, minute: number): unknown => {
      const updatedAt = ISO.replace(/T.{5}/, `T00:${String(minute).padStart(2, '0')}`)
      // Not what somebody wrote into it, but its own time counts.
      const metadata = { updatedAt: '2999-01-01T00:00:00.000Z', n }
      return store.threads.put(`thr_${n}`, { id: `thr_${n}`, metadata, version: 1, createdAt: ISO, updatedAt })
    }
    for (const [index, n] of ['a', 'b', 'c', 'd', 'e'].entries()) await put(n, index < 2 ? 1 : index)
    const page = (after?: string) =>
      other.threads.list({ order: 'activity', limit: 2, ...(after !== undefined && { after }) })
    const idsOf = ({ data }: Awaited<ReturnType<typeof page>>): string => data.map(({ id }) => id).join()
    const first = await page()
    is(idsOf(first), 'thr_e,thr_d', 'the first page')
    // The cursor was made of it, and it is somewhere else now.
    await put('d', 50)
    const second = await page(first.nextCursor)
    is(idsOf(second), 'thr_c,thr_b', 'the page that follows')
    await other.threads.delete('thr_b')
    const third = await page(second.nextCursor)
    is(idsOf(third), 'thr_a', 'the last page')
    is(third.nextCursor, undefined, 'a cursor of the last page')
    is(idsOf(await page()), 'thr_d,thr_e', 'the first page afterwards')
    await throws('invalid_cursor', async () => page('thr_c'))
  },

  async 'an answer is replaced only where it is as expected, however many ask at once'({ store, other }) {
    const by = (token: string) => ({ name: 'k', bodyHash: 'b', token, heldUntil: 1, expiresAt: 2 })
    const took = await Promise.all(
      ['1', '2', '3', '4'].map((token, index) =>
        (index % 2 ? other : store).answers.replace('k', undefined, by(token)),
      ),
    )
    is(took.filter(Boolean).length, 1, 'who took what was free')
    const mine = by(String(took.indexOf(true) + 1))
    is((await other.answers.get('k'))?.token, mine.token, 'who has it')
    is(await other.answers.replace('k', by('5'), by('6')), false, 'replacing what is not there')
    is(await other.answers.replace('k', mine, { ...mine, madeId: 'x' }), true, 'replacing what is there')
    is(await store.answers.replace('k', mine, undefined), false, 'taking away what is not there')
    is(await store.answers.replace('k', { ...mine, madeId: 'x' }, undefined), true, 'taking away what is there')
    is(await store.answers.get('k'), undefined, 'what was taken away')
    is(await store.answers.replace('k', undefined, undefined), true, 'nothing for nothing')
  },

  async 'what runs leave is kept by kind and space, in order, and each change is counted'({ store, other }) {
    const [here, there] = [store.records<number>('count', '/here'), other.records<number>('count', '/there')]
    const [one, two] = [await here.put('one', 1), await there.put('one', 2)]
    is(one < two, true, 'whether a later record has a higher place')
    is(await here.put('one', 3), one, 'the place of a record that was put again')
    await here.put('two', 4)
    is(await here.replace('two', 5, 6), false, 'replacing what is not there')
    is(await here.replace('two', 4, 6), true, 'replacing what is there')
    is(await other.records('other', '/here').get('one'), undefined, 'a record of another kind')
    const read = other.records<number>('count', '/here')
    const all = async (): Promise<string> => (await read.all()).data.map(({ id, value }) => `${id} ${value}`).join()
    is(await all(), 'one 3,two 6', 'all of a space')
    is(await read.version(), 4, 'how many changes there were')
    is(await here.remove(['one', 'two', 'three']), 2, 'removing two of three')
    is(await here.remove(['one']), 0, 'removing what is not there')
    is([await all(), await read.version(), await there.get('one')].join(), ',5,2', 'what is left')
    const took = await Promise.all(
      [here, read, here, read].map((records, by) => records.replace('free', undefined, by)),
    )
    is(took.filter(Boolean).length, 1, 'who took what was free')
  },

  async 'a record that leaves with a commit is written and counted with it, or not at all'({ store, other, now }) {
    const { lease } = await leased(store, now())
    const records = other.records<number>('count', '/here')
    const all = async (): Promise<string> =>
      (await records.all()).data.map(({ id, seq, value }) => `${id} ${seq} ${value}`).join()
    const newRecord = (id: string, value: number, kind = 'count'): NewRecord => ({ kind, space: '/here', id, value })
    const [one, two, last] = [newRecord('one', 1), newRecord('two', 2), newRecord('one', 3)]
    await store.commit(lease, { records: [one, two, last, newRecord('one', 4, 'other')], run: { status: 'completed' } })
    is(await all(), `one ${one.seq} 3,two ${two.seq} 2`, 'what was put')
    is(last.seq, one.seq, 'the place of a record that was put twice')
    is(await records.version(), 3, 'how many changes there were')
    is(await other.records('other', '/here').get('one'), 4, 'a record of another kind')
    const stale = { ...lease, epoch: lease.epoch + 1 }
    const refused = await Promise.resolve()
      .then(() => store.commit(stale, { records: [newRecord('three', 5)] }))
      .then(
        () => 'nothing',
        (thrown: unknown) => (SvcError.isInstance(thrown) ? thrown.code : String(thrown)),
      )
    is(refused, 'lease_lost', 'what a commit under a stale lease throws')
    is(await records.get('three'), undefined, 'a record of a commit that was refused')
  },
}

const LEFT: typeof CHECKS = {
  async 'a queued run that ought to have begun is listed as late'({ store, other, now, pass }) {
    const late = async (): Promise<string> => (await other.runs.list({ late: true })).data.map(({ id }) => id).join()
    const [soon, later, never] = ['1', '2', '3'].map((n) => newRow(n, now())) as [RunRow, RunRow, RunRow]
    await store.create({ ...soon, startBy: now() + 1_000 }, [created(soon)])
    await store.create({ ...later, startBy: now() + 2_000, threadId: 'thr_1' }, [created(later)])
    await store.create(never, [created(never)])
    is((await other.runs.get('run_1'))?.startBy, now() + 1_000, 'until when a run is to begin')
    is(await late(), '', 'late runs at first')
    pass(1_000)
    is(await late(), 'run_1', 'late runs after a while')
    pass(5_000)
    is(await late(), 'run_2,run_1', 'late runs in the end')
    const [claimed] = await store.claim('a', { limit: 1, ttlMs: TTL_MS })
    if (claimed === undefined) return
    await store.commit(claimed.lease, { run: { status: 'running' } })
    is(await late(), 'run_2', 'late runs beside one that has begun')
  },

  async 'what nobody works on can be listed'({ store, other, now, pass }) {
    const left = async (): Promise<string> => (await other.runs.list({ left: true })).data.map(({ id }) => id).join()
    const rows = ['1', '2', '3'].map((n) => newRow(n, now()))
    for (const row of rows) await store.create(row, [created(row)])
    is(await left(), 'run_3,run_2,run_1', 'runs that nobody has claimed')
    const [one, two] = await store.claim('a', { limit: 2, ttlMs: TTL_MS })
    is(await left(), 'run_3', 'runs beside those that are held')
    if (one === undefined || two === undefined) return
    await store.commit(one.lease, { run: { status: 'completed' } })
    await store.release(one.lease)
    await store.release(two.lease)
    is(await left(), 'run_3,run_2', 'runs that were released, without those that ended')
    await store.claim('a', { limit: 2, ttlMs: TTL_MS })
    is(await left(), '', 'runs that are left when all are held')
    pass(TTL_MS + 1)
    is(await left(), 'run_3,run_2', 'runs whose lease has run out')
  },
}

const ISO = '2024-05-01T12:00:00.000Z'

const newRow = (n: string, nowMs: number): RunRow => ({
  id: `run_${n}`,
  status: 'queued',
  mode: 'execute',
  task: 'a task',
  recoveries: 0,
  version: 1,
  createdAt: new Date(nowMs).toISOString(),
  lastSeq: 0,
  agents: [],
  usage: { inputTokens: 0, outputTokens: 0, estimated: false, modelCalls: 0 },
  costUsd: null,
  links: {},
  format: 1,
  create: { task: 'a task' },
  configHash: 'hash',
})

const created = ({ id, task, mode, createdAt }: RunRow): NewEvent => ({
  v: 1,
  type: 'run.created',
  time: createdAt,
  runId: id,
  data: { task, mode, options: {}, configHash: 'hash', versions: {} },
})

const started = ({ id, createdAt }: RunRow): NewEvent => ({
  v: 1,
  type: 'run.started',
  time: createdAt,
  runId: id,
  data: { attempt: 1 },
})

const approvalOf = ({ id: runId }: RunRow): Approval => ({
  id: 'apr_1',
  runId,
  agentId: 'agent-1',
  callId: 'call-1',
  tool: 'write_file',
  args: { path: 'a' },
  risk: 'write',
  reason: 'risk:write',
  preview: '',
  taint: [],
  expiresAt: ISO,
  status: 'pending',
})

/** A run that is leased. */
async function leased(
  store: Store,
  nowMs: number,
  idempotency?: Parameters<Store['create']>[2],
): Promise<{ row: RunRow; lease: Lease }> {
  const row = newRow('1', nowMs)
  await store.create(row, [created(row)], idempotency)
  const [claimed] = await store.claim('first', { limit: 1, ttlMs: TTL_MS })
  if (claimed === undefined) throw new Error('a new run cannot be claimed')
  return { row, lease: claimed.lease }
}

function is(actual: unknown, expected: unknown, what: string): void {
  if (!Object.is(actual, expected)) throw new Error(`${what}: ${String(actual)} instead of ${String(expected)}`)
}

function ok(value: boolean, what: string): void {
  if (!value) throw new Error(`not so: ${what}`)
}

async function throws(code: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    is(SvcError.isInstance(thrown) ? thrown.code : String(thrown), code, 'the error')
    return
  }
  throw new Error(`nothing was thrown instead of ${code}`)
}

/** Stores that poll tell late, and so does any on a busy machine. */
async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 3_000; tries++) {
    if (isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('no watcher heard of a command within 30 s')
}
