import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Count, IsoTime, Text } from './schema.ts'
import type { Stage } from './stages.ts'

/** Events that are kept and numbered. */
export const DURABLE_EVENTS = [
  'run.created',
  'run.queued',
  'run.started',
  'run.waiting',
  'run.resumed',
  'run.recovered',
  'run.cancelling',
  'run.completed',
  'run.incomplete',
  'run.failed',
  'run.cancelled',
  'stage.started',
  'stage.completed',
  'stage.failed',
  'analysis.completed',
  'budget.allocated',
  'plan.created',
  'plan.revised',
  'budget.updated',
  'budget.warning',
  'budget.exhausted',
  'topology.updated',
  'agent.created',
  'agent.started',
  'agent.completed',
  'agent.failed',
  'agent.cancelled',
  'agent.handoff',
  'agent.message',
  'step.started',
  'step.completed',
  'step.failed',
  'step.skipped',
  'step.retrying',
  'model.started',
  'model.completed',
  'model.failed',
  'model.retrying',
  'model.fallback',
  'message.completed',
  'tool.requested',
  'tool.started',
  'tool.completed',
  'tool.failed',
  'tool.denied',
  'approval.requested',
  'approval.resolved',
  'approval.expired',
  'consensus.started',
  'consensus.vote',
  'consensus.resolved',
  'reflection.completed',
  'inspect.issue',
  'memory.written',
  'memory.recalled',
  'plugin.error',
] as const

/** Events that are sent once and not kept: they have no `seq`. */
export const EPHEMERAL_EVENTS = [
  'message.delta',
  'message.snapshot',
  'reasoning.delta',
  'tool.output',
  'log.line',
  'stream.warning',
] as const

/** The name of an event: `noun.verb`. */
export type EventType = (typeof DURABLE_EVENTS)[number] | (typeof EPHEMERAL_EVENTS)[number]

/** Where in a run an event belongs. */
export interface EventPlace {
  stage?: Stage
  stepId?: string
  agentId?: string
  parentAgentId?: string
  callId?: string
  approvalId?: string
  span?: string
}

/** Something that happened in a run. */
export const RunEvent = Type.Object({
  v: Type.Literal(1),
  seq: Type.Optional(Count('gap-free from 1; absent on ephemeral events')),
  type: Type.Unsafe<EventType>(Type.String({ pattern: '^[a-z.]+$' })),
  time: IsoTime('when'),
  runId: Type.String(),
  threadId: Type.Optional(Type.String()),
  stage: Type.Optional(Type.Unsafe<Stage>(Type.String())),
  stepId: Type.Optional(Type.String()),
  agentId: Type.Optional(Type.String()),
  parentAgentId: Type.Optional(Type.String()),
  callId: Type.Optional(Type.String()),
  approvalId: Type.Optional(Type.String()),
  span: Type.Optional(Text('id of the trace span')),
  data: Type.Unsafe<Record<string, unknown>>(Type.Object({})),
})
export type RunEvent = Static<typeof RunEvent>

/** An event before it has its number and time. */
export interface NewEvent extends EventPlace {
  type: EventType
  data: object
}

const ephemeral: ReadonlySet<string> = new Set(EPHEMERAL_EVENTS)

/** Whether events of this type are sent once and not kept. */
export const isEphemeral = (type: EventType): boolean => ephemeral.has(type)
