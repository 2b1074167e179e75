import { comparedPart, VOLATILE_FIELDS } from '../../../../contracts/log/compared-event.ts'
import { isTerminalEvent, type RunEvent } from '../../../../contracts/log/event.ts'
import type { Change } from '../../../../contracts/run/change.ts'
import type { RunResult } from '../../../../contracts/runtime/runtime.ts'
import type { RunRow } from '../../../../contracts/store/store.ts'
import type { Warning } from '../../../../contracts/warning.ts'
import { RunError } from '../../../../errors.ts'
import { findChanges } from '../../../../text/find-changes.ts'
import type { Environment } from '../../../environment.ts'

/** Events that only count or time something, that belong to one process's life, or that only a real call makes. */
const NOT_COMPARED =
  /^(run|budget|memory|approval)\.|^(model\.(started|retrying|fallback|failed)|tool\.started|topology\.updated)$/

/** Whether two lives of one run must have the event alike. */
export const isCompared = ({ type }: RunEvent): boolean => !NOT_COMPARED.test(type)

/** What an event says, without what differs from life to life. */
export const comparable = (event: RunEvent): string =>
  JSON.stringify(comparedPart(event), (key, value) => (VOLATILE_FIELDS.has(key) ? undefined : value))

/** Whether a run that goes on was begun with another config, or by another version. */
export function isBegunOtherwise(
  row: RunRow,
  [first]: readonly RunEvent[],
  env: Pick<Environment, 'configHash' | 'version'>,
): boolean {
  if (row.startedAt === undefined || row.inherits !== undefined) return false
  return row.configHash !== env.configHash || (first?.type === 'run.created' && first.data.versions.svc !== env.version)
}

/** Why a run that was begun otherwise cannot go on here: it says something else than what is recorded. */
export function divergenceOf(recorded: RunEvent, emitted: RunEvent): RunError | undefined {
  if (recorded.type !== emitted.type || !isCompared(recorded)) return undefined
  if (comparable(withoutShare(recorded)) === comparable(withoutShare(emitted))) return undefined
  const { runId, seq, type, stage } = recorded
  const place = stage === undefined ? type : `${type} in ${stage}`
  return new RunError(
    'replay_diverged',
    `run ${runId} was begun with another config or svc, and with this one it parts from its records at event ${seq} (${place})`,
    { details: { seq, expected: recorded.data, actual: emitted.data } },
  )
}

/** An event without an agent's share of the budget, which may change under a run. */
const withoutShare = (event: RunEvent): RunEvent =>
  event.type === 'agent.started' ? { ...event, data: { ...event.data, tokens: 0 } } : event

/** Agents at once take turns as they like, so events are compared within their own lane. */
function toLanes(events: readonly RunEvent[], byCall: boolean): Map<string, RunEvent[]> {
  const lanes = new Map<string, RunEvent[]>()
  for (const event of events) {
    if (!isCompared(event)) continue
    const name = [event.stage, event.stepId, event.agentId, byCall ? event.callId : ''].join('|')
    const lane = lanes.get(name)
    if (lane === undefined) lanes.set(name, [event])
    else lane.push(event)
  }
  return lanes
}

/**
 * Numbers of the first events in which two logs differ; the log's last where it has ended before.
 *
 * @param byCall true for logs of one run: calls of one agent at once may take turns as they like, too
 */
export function findFirstDifference(
  left: readonly RunEvent[],
  right: readonly RunEvent[],
  byCall = false,
): [number, number] | undefined {
  const [lefts, rights] = [toLanes(left, byCall), toLanes(right, byCall)]
  let first: [number, number] | undefined
  for (const name of new Set([...lefts.keys(), ...rights.keys()])) {
    const [events, others] = [lefts.get(name) ?? [], rights.get(name) ?? []]
    const at = firstUnequal(events, others)
    if (at === undefined) continue
    const parted: [number, number] = [events[at]?.seq ?? left.length, others[at]?.seq ?? right.length]
    if (first === undefined || parted[0] < first[0]) first = parted
  }
  return first
}

function firstUnequal(events: readonly RunEvent[], others: readonly RunEvent[]): number | undefined {
  for (let at = 0; at < Math.max(events.length, others.length); at++) {
    const [one, two] = [events[at], others[at]]
    if (one === undefined || two === undefined || comparable(one) !== comparable(two)) return at
  }
  return undefined
}

/** Where two events differ, as far as they are compared; of two ends of a run it is the results. */
export const findEventChanges = (before: RunEvent, after: RunEvent): Change[] =>
  findChanges('', toCompared(before), toCompared(after))

const toCompared = (event: RunEvent): unknown =>
  JSON.parse(isTerminalEvent(event) ? comparableResult({ type: event.type, ...event.data }) : comparable(event))

/**
 * Whether two results of one run say the same.
 *
 * @param here warnings that every result of the second's runtime begins with; those of the first's are not known. They say
 *   something of the place where the run was made, and nothing of the run
 */
export function isSameResult(before: RunResult, after: RunResult, here: readonly Warning[]): boolean {
  const given = new Set(here.map(({ message }) => message))
  const warnings = warningsOf(after).filter(({ message }) => !given.has(message))
  const known = warningsOf(before)
  const own = known.slice(Math.max(0, known.length - warnings.length))
  return comparableResult({ ...before, warnings: own }) === comparableResult({ ...after, warnings })
}

const warningsOf = (result: RunResult): readonly Warning[] =>
  'warnings' in result ? result.warnings.filter(({ code }) => !WARNINGS_NOT_COMPARED.has(code)) : []

/** Calls that were not in a recording are no part of what came of them; contradicted claims are compared, not their events. */
const WARNINGS_NOT_COMPARED = new Set(['cassette_miss', 'claim_contradicted', 'message_unread'])

/** What two results of one run must have alike. */
export const comparableResult = (result: unknown): string =>
  JSON.stringify(result, (key, value) => {
    if (VOLATILE_FIELDS.has(key) || key.endsWith('Ms')) return undefined
    return key === 'warnings' && Array.isArray(value)
      ? value.filter(({ code }) => !WARNINGS_NOT_COMPARED.has(code))
      : value
  })
