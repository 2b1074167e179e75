import { isTerminalEvent, type RunEvent } from '../../../contracts/log/event.ts'
import type { ModelProvider } from '../../../contracts/model/model.ts'
import type { RunCreate } from '../../../contracts/run/run.ts'
import type { RunLock } from '../../../contracts/run/run-lock.ts'
import type { ReplayResult, RunResult } from '../../../contracts/runtime/runtime.ts'
import type { RunRow, Store } from '../../../contracts/store/store.ts'
import { SvcError } from '../../../errors.ts'
import { createMemoryStore } from '../../stores/memory-store.ts'
import { findFirstDifference, isSameResult } from '../session/recovery/compare-events.ts'
import type { RunCassette } from './cassette/cassette.ts'

/** How a recorded run went this time. */
export interface ReplayedRun {
  runId: string
  /** True where everything is as recorded; then `events` and `result` are the recorded ones, with the times measured then. */
  identical: boolean
  events: readonly RunEvent[]
  result: RunResult
  /** The log of the recording. */
  recorded: readonly RunEvent[]
  /** Numbers of the first events that differ, in the recording and now. */
  firstDifference?: readonly [recorded: number, now: number]
}

/**
 * Goes over a recorded run: an ordinary run in a store of its own, whose calls the cassette answers.
 *
 * @param changes what of the recorded request is to be otherwise
 * @param execute works on the run in a runtime over the store, with the cassette and its clock, until it has ended
 */
export async function replayIn(
  cassette: RunCassette,
  changes: Partial<RunCreate>,
  execute: (store: Store, runId: string) => Promise<void>,
): Promise<ReplayedRun> {
  const { row, events: recorded, payloads, lock } = cassette.recording
  const store = createMemoryStore({ clock: cassette.clock })
  const limits = cassette.isStrict ? row.limits : undefined
  await store.create({ ...asQueued(row, changes), ...(limits && { limits }) }, recorded.slice(0, 1))
  for (const bytes of payloads) await store.payloads.put(row.id, bytes)
  await execute(store, row.id)
  const events = await store.events.list(row.id)
  const [before, after] = [resultOf(recorded), resultOf(events)]
  const firstDifference = findFirstDifference(recorded, events, true)
  const compared = { runId: row.id, recorded }
  if (firstDifference === undefined && isSameResult(before, after, lock?.warnings ?? []))
    return { ...compared, identical: true, events: recorded, result: before }
  const ends = [recorded.length, events.length] as const
  return { ...compared, identical: false, events, result: after, firstDifference: firstDifference ?? ends }
}

/** The same, in short: whether the run went as it did, else the first events that differ. */
export function toReplayResult({ identical, recorded, events, firstDifference }: ReplayedRun): ReplayResult {
  if (firstDifference === undefined) return { identical }
  const [before, now] = firstDifference
  const expected = recorded.find(({ seq }) => seq === before) ?? null
  const actual = events.find(({ seq }) => seq === now) ?? null
  return { identical, firstDivergence: { seq: before, expected, actual } }
}

/** Providers of a recorded run that are known and cannot be called. */
export const standInsOf = ({ providers }: Pick<RunLock, 'providers'>): ModelProvider[] =>
  providers.map(({ id, models, ...facts }) => {
    const refuse = (): SvcError =>
      new SvcError('replay_diverged', `${id} is not called: it stands in for the provider of a recorded run`)
    return {
      id,
      ...facts,
      models: async () => [...models],
      // biome-ignore lint/correctness/useYield: it has nothing to give
      async *generate() {
        throw refuse()
      },
      embed: async () => {
        throw refuse()
      },
    }
  })

/** The run as it was when it was made. */
function asQueued(
  { id, task, mode, createdAt, threadId, configHash, create, originRunId, tainted, taintedSpan, bounded }: RunRow,
  changes: Partial<RunCreate>,
): RunRow {
  return {
    id,
    status: 'queued',
    mode,
    task,
    recoveries: 0,
    version: 1,
    createdAt,
    ...(threadId !== undefined && { threadId }),
    ...(originRunId !== undefined && { originRunId }),
    ...(tainted !== undefined && { tainted }),
    ...(bounded !== undefined && { bounded }),
    ...(taintedSpan !== undefined && { taintedSpan }),
    lastSeq: 0,
    agents: [],
    usage: { inputTokens: 0, outputTokens: 0, estimated: false, modelCalls: 0 },
    costUsd: null,
    links: {},
    format: 1,
    create: { ...create, ...changes },
    configHash,
  }
}

function resultOf(events: readonly RunEvent[]): RunResult {
  const last = events.at(-1)
  if (last !== undefined && isTerminalEvent(last)) return last.data.result as RunResult
  throw new SvcError('internal_error', 'a run ended without its last event')
}
