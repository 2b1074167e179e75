import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ErrorInfo } from '../error-info.ts'
import { Reason } from '../incomplete-reason.ts'
import { Usage } from '../model/usage.ts'
import { CostUsd, Count, Milliseconds, Text } from '../schema.ts'
import { WorkStatus } from '../words.ts'

/** What became of one step. */
export const StepResult = Type.Object({
  id: Text('id of the step'),
  agentId: Text('who did it'),
  objective: Text('what was asked'),
  status: WorkStatus,
  output: Text('its answer; empty when there is none'),
  tries: Count('how often it was tried'),
  usage: Usage,
  durationMs: Milliseconds('from its first start to its end'),
  error: Type.Optional(ErrorInfo),
})
export type StepResult = Static<typeof StepResult>

/** What became of one agent. */
export const AgentResult = Type.Object({
  agentId: Text('its slot'),
  profileId: Type.Optional(Text('slug of its profile')),
  name: Text('shown to people'),
  role: Text('what it was for'),
  model: Text('`provider/model`'),
  status: WorkStatus,
  summary: Text('its last answer'),
  usage: Usage,
  costUsd: CostUsd,
  durationMs: Milliseconds('time in its steps'),
})
export type AgentResult = Static<typeof AgentResult>

/** A file or other product of a run. */
export const Artifact = Type.Object({
  id: Text('unique within the run'),
  name: Text('shown to people'),
  mimeType: Text('media type'),
  bytes: Count('size'),
  uri: Text('where it is'),
})
export type Artifact = Static<typeof Artifact>

/** What the agents did: the answer to `execute`. */
export const Execution = Type.Object({
  status: Type.Enum(['completed', 'incomplete', 'failed']),
  output: Text('the answer in plain text; the best so far when incomplete'),
  data: Type.Optional(Type.Unknown({ description: 'structured output, where `outputSchema` asked for it' })),
  steps: Type.Array(StepResult),
  agents: Type.Array(AgentResult),
  artifacts: Type.Array(Artifact),
  reason: Type.Optional(Reason('why it is not completed; `plan_failed` asks for a new plan')),
  error: Type.Optional(ErrorInfo),
})
export type Execution = Static<typeof Execution>
