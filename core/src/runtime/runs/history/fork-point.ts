import type { RunEvent } from '../../../contracts/log/event.ts'
import type { ForkInput } from '../../../contracts/run/fork-input.ts'
import type { Stage } from '../../../contracts/stages/stages.ts'

export type ForkEdits = NonNullable<ForkInput['edits']>
export type ForkEdit = keyof ForkEdits

/** Where a fork begins, what it takes over and what is done anew. */
export interface ForkPoint {
  /** Number of the last event that is taken over. */
  atSeq: number
  /** The edits that differ from what the run was begun with, in the order of `FORK_EDITS`. */
  changes: ForkEdit[]
  kept: {
    /** Stages whose answer is kept, in order; one that was asked twice stands twice. */
    stages: Stage[]
    modelCalls: number
    toolCalls: number
    /** Of the model calls that are kept, input and output together. */
    tokens: number
  }
  anew: { stages: Stage[]; modelCalls: number; toolCalls: number }
}

/** What a fork may change. */
export const FORK_EDITS: readonly ForkEdit[] = [
  'task',
  'prompt',
  'instructions',
  'model',
  'topology',
  'tokenBudget',
  'budget',
  'plan',
  'toolResults',
]

/**
 * Finds where a fork begins: before the first event that one of its edits reaches. Another task or context reaches the first
 * stage; instructions and a model the first model call that they are for; a topology and a budget the stage `allocate`, and a
 * hard limit that was met the event that says so; a plan the stage `plan`; another result of a tool call what its agent asks
 * next.
 *
 * @param events the log of the run, without ephemeral events
 * @param atSeq where somebody has chosen the event: then only what is kept and what is done anew is found
 * @returns undefined where no edit differs and no event is chosen
 */
export function findForkPoint(
  events: readonly RunEvent[],
  edits: ForkEdits = {},
  atSeq?: number,
): ForkPoint | undefined {
  const changes = changesOf(events, edits)
  if (atSeq === undefined && changes.length === 0) return undefined
  const at = atSeq ?? Math.min(...changes.map((change) => reachOf(events, edits, change)))
  const isAnother = changes.includes('task') || changes.includes('plan')
  const [before, after] = [events.filter(({ seq = 0 }) => seq <= at), events.filter(({ seq = 0 }) => seq > at)]
  const answered = isAnother ? [] : stagesOf(before)
  let tokens = 0
  for (const { type, data } of before)
    if (type === 'model.completed') tokens += data.usage.inputTokens + data.usage.outputTokens
  return {
    atSeq: at,
    changes,
    kept: { stages: answered, ...callsOf(before), tokens },
    anew: { stages: stagesOf(events).slice(answered.length), ...callsOf(after) },
  }
}

/** Whether anything but the end of the run comes after an event: a fork that begins later would do nothing. */
export const hasWorkAfter = (events: readonly RunEvent[], seq: number): boolean =>
  events.some((event) => (event.seq ?? 0) > seq && WORK.test(event.type))

const WORK = /^(stage|model|tool|step)\./

const stagesOf = (events: readonly RunEvent[]): Stage[] =>
  events.flatMap(({ type, stage }) => (type === 'stage.completed' && stage !== undefined ? [stage] : []))

const callsOf = (events: readonly RunEvent[]): { modelCalls: number; toolCalls: number } => ({
  modelCalls: events.filter(({ type }) => type === 'model.completed').length,
  toolCalls: events.filter(({ type }) => type === 'tool.completed').length,
})

function changesOf(events: readonly RunEvent[], edits: ForkEdits): ForkEdit[] {
  const created = events.find((event) => event.type === 'run.created')
  const { task, options } = created?.data ?? { task: '', options: {} }
  const planned = events.find((event) => event.type === 'plan.created')?.data
  const { budget: limits = {}, toolResults = {} } = edits
  const isChanged: Record<ForkEdit, boolean> = {
    task: edits.task !== task,
    prompt: edits.prompt !== (options.context ?? ''),
    instructions: edits.instructions !== (options.instructions ?? ''),
    model: edits.model !== options.model,
    topology: edits.topology?.toUpperCase() !== (options.topology ?? 'AUTO').toUpperCase(),
    tokenBudget: edits.tokenBudget !== options.tokenBudget,
    budget: Object.entries(limits).some(([name, limit]) => options.budget?.[name as keyof typeof limits] !== limit),
    plan: planned === undefined || JSON.stringify(edits.plan) !== JSON.stringify(planned),
    toolResults: Object.entries(toolResults).some(([callId, result]) => resultOf(events, callId) !== result),
  }
  return FORK_EDITS.filter((name) => edits[name] !== undefined && isChanged[name])
}

function resultOf(events: readonly RunEvent[], callId: string): unknown {
  const ended = events.find((event) => event.type === 'tool.completed' && event.callId === callId)
  return ended?.type === 'tool.completed' ? ended.data.result : undefined
}

/** Number of the last event that an edit leaves as it is. */
function reachOf(events: readonly RunEvent[], edits: ForkEdits, change: ForkEdit): number {
  const start = beforeFirst(events, ({ type }) => type === 'stage.started')
  const ofStage = (wanted: Stage): number =>
    beforeFirst(events, ({ type, stage }) => type === 'stage.started' && stage === wanted)
  switch (change) {
    case 'task':
    case 'prompt':
      return start
    case 'instructions':
      return beforeFirst(events, isModelCall)
    case 'model': {
      const own = agentsWithModel(events)
      return beforeFirst(events, (event) => isModelCall(event) && !own.has(event.agentId ?? ''))
    }
    case 'topology':
    case 'tokenBudget':
      return ofStage('allocate')
    case 'budget': {
      const isMet = events.some(isLimitMet)
      return isMet ? beforeFirst(events, isLimitMet) : ofStage('allocate')
    }
    case 'plan':
      return ofStage('plan')
    case 'toolResults':
      return Math.min(...Object.keys(edits.toolResults ?? {}).map((callId) => afterCall(events, callId)))
  }
}

/** The first event of a model call: one that was taken over from another run has no `model.started`. */
const isModelCall = ({ type }: RunEvent): boolean => type === 'model.started' || type === 'model.completed'

const isLimitMet = (event: RunEvent): boolean => event.type === 'budget.exhausted' && event.data.scope !== 'soft'

/** Number of the event before the first that fits; the start of the first stage where none does. */
function beforeFirst(events: readonly RunEvent[], fits: (event: RunEvent) => boolean): number {
  const first = events.find(fits) ?? events.find(({ type }) => type === 'stage.started')
  return Math.max(1, (first?.seq ?? 2) - 1)
}

/** Number of the last event before the agent of a call asks its model again; of the call's end where it never does. */
function afterCall(events: readonly RunEvent[], callId: string): number {
  const end = events.find((event) => event.callId === callId && ENDS.has(event.type))
  const next = events.find(
    (event) => isModelCall(event) && event.agentId === end?.agentId && (event.seq ?? 0) > (end?.seq ?? 0),
  )
  return next?.seq === undefined ? (end?.seq ?? 1) : next.seq - 1
}

const ENDS: ReadonlySet<string> = new Set(['tool.completed', 'tool.failed', 'tool.denied'])

/** Agents that a profile or the plan gives a model of their own: another model of the run is none of theirs. */
function agentsWithModel(events: readonly RunEvent[]): ReadonlySet<string> {
  const own = new Set<string>()
  for (const event of events) {
    if (event.type !== 'agent.created' || event.agentId === undefined || !('model' in event.data)) continue
    if ((event.data.model ?? '') !== '') own.add(event.agentId)
  }
  return own
}
