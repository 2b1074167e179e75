import type { EventPlace, RunEvent } from '../../../../contracts/log/event.ts'
import type { StepRow } from '../../../../contracts/log/journal.ts'
import type { MemoryHit } from '../../../../contracts/memory/memory.ts'
import type { RunCreate } from '../../../../contracts/run/run.ts'
import type { Plan } from '../../../../contracts/stages/plan.ts'
import type { Stage } from '../../../../contracts/stages/stages.ts'
import { isEmittedAgain } from '../../../journal/earlier-events.ts'
import type { InheritedEvent, InheritedStage } from '../../../pipeline/pipeline-run.ts'

/** What a session records of its stages whose answer is in no event, for forks. */
export const answerKey = (stage: Stage, count: number): string => `stage/${stage}:${count}`
export const RECALLED_KEY = 'stage/recalled'
const KEPT = 'inherited/'

/**
 * The stages that are not asked again, by stage and how often it was asked: those that the run has kept from another, and
 * those that its earlier lives have answered, whatever plugins and config say by now.
 *
 * @param gone ids of profiles and marks of tools that are not here: plans go on without
 */
export const knownStagesOf = (
  events: readonly RunEvent[],
  steps: readonly StepRow[],
  gone: readonly string[],
): ReadonlyMap<string, InheritedStage> => {
  const known = [
    ...steps.filter(isKept).map(({ key, outcome }) => [key.slice(KEPT.length), outcome as InheritedStage] as const),
    ...answeredStages(events, steps, {}).map(([name, stage]) => [name, { ...stage, isOwn: true }] as const),
  ]
  const isPlan = (name: string): boolean => gone.length > 0 && name.startsWith('plan:')
  return new Map(
    known.map(([name, stage]) =>
      isPlan(name) ? [name, { ...stage, answer: withoutParts(stage.answer as Plan, gone) }] : [name, stage],
    ),
  )
}

/** Marks a tool among the ids of what is gone: none of a profile is like it. */
export const toolMark = (id: string): string => `tool:${id}`

/** A plan whose agents do without some profiles, and its steps without some tools. */
export const withoutParts = (plan: Plan, gone: readonly string[]): Plan => ({
  ...plan,
  agents: plan.agents.map(({ profileId, ...agent }) =>
    profileId === undefined || gone.includes(profileId) ? agent : { ...agent, profileId },
  ),
  steps: plan.steps.map((step) => ({ ...step, tools: step.tools.filter((id) => !gone.includes(toolMark(id))) })),
})

export const isKept = ({ key }: StepRow): boolean => key.startsWith(KEPT)

interface Asked {
  stage: Stage
  count: number
  events: RunEvent[]
  answer?: RunEvent
  end?: RunEvent
}

/**
 * The rows by which a fork keeps every answer that a stage had given by an event, from the first stage on without a gap.
 *
 * Another task, or another plan, is gone through anew: no answer to the old one is kept. Of another result of a tool, what
 * was answered before it.
 */
export function keepStages(
  events: readonly RunEvent[],
  steps: readonly StepRow[],
  {
    untilSeq,
    edits,
    callIds,
  }: { untilSeq: number; edits: { from?: number; all?: boolean }; callIds: Map<string, string> },
): StepRow[] {
  if (edits.all === true) return []
  return answeredStages(events, steps, { untilSeq, from: edits.from, callIds }).map(([name, outcome]) => ({
    key: `${KEPT}${name}`,
    effect: 'pure',
    state: 'done',
    time: 0,
    seq: 0,
    outcome,
  }))
}

const NO_IDS: ReadonlyMap<string, string> = new Map()

/** @param options.from without what ended there or later */
function answeredStages(
  events: readonly RunEvent[],
  steps: readonly StepRow[],
  {
    untilSeq = Number.POSITIVE_INFINITY,
    from = Number.POSITIVE_INFINITY,
    callIds = NO_IDS,
  }: { untilSeq?: number; from?: number | undefined; callIds?: ReadonlyMap<string, string> },
): (readonly [string, InheritedStage])[] {
  const stages: (readonly [string, InheritedStage])[] = []
  const outcomes = new Map(steps.map(({ key, outcome }) => [key, outcome]))
  for (const asked of toAsked(events)) {
    const { stage, count, end } = asked
    const ended = end?.seq ?? Number.POSITIVE_INFINITY
    const by = asked.answer?.seq ?? ended
    if (end?.type !== 'stage.completed' || by > untilSeq || ended >= from) break
    const answer = answerOf(asked, outcomes)
    if (answer === undefined) break
    const recalled = asked.events.some(({ type }) => type === 'memory.recalled')
      ? outcomes.get(RECALLED_KEY)
      : undefined
    const kept: InheritedStage = {
      answer,
      events: asked.events.filter(isEmittedAgain).map((event) => toInherited(event, callIds)),
      ...(recalled === undefined ? {} : { recalled: recalled as readonly MemoryHit[] }),
    }
    stages.push([`${stage}:${count}`, kept])
  }
  return stages
}

/** Every time that a stage was asked, with what was said meanwhile. */
function toAsked(events: readonly RunEvent[]): Asked[] {
  const all: Asked[] = []
  const counts = new Map<Stage, number>()
  let open: Asked | undefined
  for (const event of events) {
    const { stage, type } = event
    if (type === 'stage.started' && stage !== undefined) {
      const count = (counts.get(stage) ?? 0) + 1
      counts.set(stage, count)
      open = { stage, count, events: [] }
      all.push(open)
    }
    if (open === undefined || stage !== open.stage) continue
    open.events.push(event)
    if (ANSWERS.has(type)) open.answer = event
    if (type !== 'stage.completed' && type !== 'stage.failed') continue
    open.end = event
    open = undefined
  }
  return all
}

const ANSWERS: ReadonlySet<string> = new Set([
  'analysis.completed',
  'budget.allocated',
  'plan.created',
  'plan.revised',
  'reflection.completed',
  'consensus.resolved',
])

function answerOf({ stage, count, answer, end }: Asked, outcomes: ReadonlyMap<string, unknown>): unknown {
  if (answer?.type === 'plan.revised') return answer.data.plan
  if (answer !== undefined) return answer.data
  if (end?.type === 'stage.completed' && end.data.plugin === '') return null
  return outcomes.get(answerKey(stage, count))
}

function toInherited({ type, data, ...event }: RunEvent, callIds: ReadonlyMap<string, string>): InheritedEvent {
  const { stepId, agentId, parentAgentId, callId, approvalId, span } = event
  const place: EventPlace = {}
  if (stepId !== undefined) place.stepId = stepId
  if (agentId !== undefined) place.agentId = agentId
  if (parentAgentId !== undefined) place.parentAgentId = parentAgentId
  if (callId !== undefined) place.callId = callIds.get(callId) ?? callId
  if (approvalId !== undefined) place.approvalId = approvalId
  if (span !== undefined) place.span = span
  return { type, data, place } as InheritedEvent
}

/** Which answers an edited request leaves without meaning. */
export function editsOf(
  create: RunCreate,
  parent: RunCreate,
  events: readonly RunEvent[],
  toolResults: Readonly<Record<string, unknown>> = {},
): { from?: number; all?: boolean } {
  const isAnother = create.task !== parent.task || JSON.stringify(create.plan) !== JSON.stringify(parent.plan)
  if (isAnother) return { all: true }
  const first = events.find(({ callId }) => callId !== undefined && Object.hasOwn(toolResults, callId))
  return first?.seq === undefined ? {} : { from: first.seq }
}
