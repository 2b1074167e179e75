import type { RunEvent } from '../../contracts/event.ts'
import type { Journal } from '../../contracts/journal.ts'
import type { ExecutionResult } from '../../contracts/result.ts'
import type { Run } from '../../contracts/run.ts'
import type { Change, ForkInput, ReplayResult, RunDiff } from '../../contracts/runtime.ts'
import type { Store } from '../../contracts/store.ts'
import { CapacityError, RunError, toSvcError, ValidationError } from '../../errors.ts'
import { type Walk, walkCorridor } from '../pipeline/pipeline.ts'
import { createId } from '../ids.ts'
import type { RunFactory } from './prepare-run.ts'
import type { Runs } from './run-service.ts'

/** Looks back at runs: the log, replays, forks and differences. */
export class History {
  readonly #store: Store
  readonly #runs: Runs
  readonly #factory: RunFactory

  constructor(store: Store, runs: Runs, factory: RunFactory) {
    this.#store = store
    this.#runs = runs
    this.#factory = factory
  }

  /** The log as JSON Lines. */
  async *export(id: string): AsyncGenerator<Uint8Array> {
    await this.#runs.get(id)
    for (const event of await this.#store.events.list(id)) yield Buffer.from(`${JSON.stringify(event)}\n`)
  }

  /** A new run that takes over what was recorded up to an event, with changes. */
  async fork(id: string, { atSeq, edits = {} }: ForkInput): Promise<Run> {
    const { run, create } = await this.#runs.stored(id)
    if (!Number.isInteger(atSeq) || atSeq < 0 || atSeq > run.lastSeq) {
      throw new ValidationError(
        'validation_failed',
        `fork: /atSeq must be a whole number from 0 to ${run.lastSeq}, not ${atSeq}`,
        {
          errors: [{ path: '/atSeq', message: `must be from 0 to ${run.lastSeq}` }],
        },
      )
    }
    const { task, model, prompt, plan, toolResults = {} } = edits
    const changed = {
      ...create,
      ...(task === undefined ? {} : { task }),
      ...(model === undefined ? {} : { model }),
      ...(prompt === undefined ? {} : { context: prompt }),
      ...(plan === undefined ? {} : { plan: plan as NonNullable<typeof create.plan> }),
    }
    const edit = (outcome: unknown): unknown => {
      const callId =
        typeof outcome === 'object' && outcome !== null && 'ok' in outcome && 'callId' in outcome
          ? String(outcome.callId)
          : ''
      if (!Object.hasOwn(toolResults, callId)) return outcome
      return { ...(outcome as object), ok: true, content: [{ type: 'json', json: toolResults[callId] }] }
    }
    return this.#runs.create(changed, {}, { id, untilSeq: atSeq, edit })
  }

  /** Walks a finished run again from its records alone and compares what happens. */
  async replay(id: string): Promise<ReplayResult> {
    const { run, create } = await this.#runs.stored(id)
    const expected = await this.#store.events.list(id)
    const scratch = createId('run', this.#factory.clock())
    await this.#store.copyOutcomes(id, scratch)
    try {
      const lease = await this.#store.lease(scratch, scratch, 60_000)
      if (lease === undefined) throw new CapacityError('store_unavailable', 'the store gave no lease for the replay')
      const checked = await this.#factory.check(create, id)
      const journal = strict(this.#store.journal(scratch, lease))
      const controller = new AbortController()
      const live = await this.#factory.live(run, checked, journal, controller, [], {
        onWaiting: () => {},
        onEvent: () => {},
        quiet: true,
      })
      const walk: Walk = {}
      const task = this.#factory.taskOf(run, create, live.tools)
      const { hooks, pluginsOf } = this.#factory
      const failure = await walkCorridor(
        hooks,
        live,
        { task, mode: run.mode, plan: create.plan, pluginsOf },
        walk,
      ).then(() => undefined, toSvcError)
      await live.flush()
      const divergence = firstDivergence(expected, live.events())
      if (divergence !== undefined) return { identical: false, firstDivergence: divergence }
      if (failure?.code === 'replay_diverged') {
        return { identical: false, firstDivergence: { seq: expected.length, expected: null, actual: failure.message } }
      }
      return { identical: true }
    } finally {
      await this.#store.events.delete(scratch)
    }
  }

  /** What differs between two finished runs. */
  async diff(a: string, b: string): Promise<RunDiff> {
    const [before, after] = await Promise.all([this.#runs.result(a), this.#runs.result(b)])
    const [one, two] = [before as ExecutionResult, after as ExecutionResult]
    const [eventsA, eventsB] = await Promise.all([this.#store.events.list(a), this.#store.events.list(b)])
    const calls = (events: readonly RunEvent[]): unknown[] =>
      events.flatMap(({ type, data }) => (type === 'tool.requested' ? [{ tool: data.tool, args: data.args }] : []))
    const parted = firstDivergence(eventsA, eventsB)
    return {
      plan: changes('/plan', bare(one.plan), bare(two.plan)),
      agents: changes('/agents', one.agents?.map(bareAgent), two.agents?.map(bareAgent)),
      toolCalls: changes('/toolCalls', calls(eventsA), calls(eventsB)),
      usage: changes('/usage', one.usage, two.usage),
      output: changes('/summary', one.summary, two.summary),
      ...(parted === undefined ? {} : { firstDivergence: { seq: [parted.seq, parted.seq] as [number, number] } }),
    }
  }
}

/** A journal that answers from records and refuses to do anything new. */
function strict(journal: Journal): Journal {
  return {
    step: (key, effect) =>
      journal.step(key, effect, async () => {
        throw new RunError('replay_diverged', `the replay came to a call that was not recorded: ${key}`)
      }),
    async wait(key, until) {
      await journal.resolve(key, { kind: 'expired' }) // what was answered stays so; nobody answers now
      return journal.wait(key, until)
    },
    resolve: (key, resolution) => journal.resolve(key, resolution),
    append: (event) => journal.append(event),
    get replaying() {
      return true
    },
    get time() {
      return journal.time
    },
  }
}

/** Differs from run to run without meaning anything. */
const VOLATILE: ReadonlySet<string> = new Set([
  'durationMs',
  'latencyMs',
  'ttftMs',
  'delayMs',
  'cached',
  'streamed',
  'time',
  'runId',
  'id',
  'callId',
  'evidence',
  'firstAt',
  'remaining',
  'used',
  'costUsd',
])

/** Events that only count or time something, that belong to one process's life, or that only a real call makes. */
const NOT_COMPARED =
  /^(run|budget|memory|approval)\.|^(model\.(started|retrying|fallback|failed)|tool\.started|topology\.updated)$/

const isCompared = ({ type }: RunEvent): boolean => !NOT_COMPARED.test(type)

/** Parallel agents take turns as they like, so events are compared within their own lane. */
function toLanes(events: readonly RunEvent[]): Map<string, RunEvent[]> {
  const lanes = new Map<string, RunEvent[]>()
  for (const event of events) {
    if (!isCompared(event)) continue
    const lane = [event.stage, event.stepId, event.agentId].join('|')
    lanes.set(lane, [...(lanes.get(lane) ?? []), event])
  }
  return lanes
}

function firstDivergence(expected: readonly RunEvent[], actual: readonly RunEvent[]): ReplayResult['firstDivergence'] {
  const right = toLanes(actual)
  let first: ReplayResult['firstDivergence']
  for (const [lane, events] of toLanes(expected)) {
    const others = right.get(lane) ?? []
    for (let i = 0; i < Math.max(events.length, others.length); i++) {
      const [one, two] = [events[i], others[i]]
      if (one !== undefined && two !== undefined && comparable(one) === comparable(two)) continue
      const seq = one?.seq ?? two?.seq ?? 0
      if (first === undefined || seq < first.seq) first = { seq, expected: one ?? null, actual: two ?? null }
      break
    }
  }
  return first
}

const comparable = ({ type, stage, stepId, agentId, data }: RunEvent): string =>
  JSON.stringify({ type, stage, stepId, agentId, data }, (key, value) => (VOLATILE.has(key) ? undefined : value))

const bare = (plan: ExecutionResult['plan']): unknown => (plan === undefined ? undefined : { ...plan, id: undefined })

const bareAgent = ({ agentId, name, role, model, status }: ExecutionResult['agents'][number]): unknown => ({
  agentId,
  name,
  role,
  model,
  status,
})

/** Where two values differ, down to the leaves. */
function changes(path: string, before: unknown, after: unknown): Change[] {
  if (Object.is(before, after)) return []
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.flatMap((name) => changes(`${path}/${name}`, before[name], after[name]))
  }
  return [{ path, before: before ?? null, after: after ?? null }]
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
