import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { ContentPart } from '../model/message.ts'
import type { JsonSchema } from '../schema.ts'
import { IsoTime, Opaque, Text, Texts } from '../schema.ts'
import { ApprovalStatus, ToolRisk } from '../words.ts'

/** Asks a person whether a tool may be called. */
export const ApprovalRequest = Type.Object({
  kind: Type.Literal('approval'),
  callId: Text('the call in question'),
  tool: Text('id of the tool'),
  args: Type.Unknown({ description: 'its exact arguments' }),
  risk: ToolRisk,
  reason: Text('the rule that asks'),
  preview: Type.Optional(Text('what it would do')),
  taint: Texts('untrusted sources that the agent has read'),
  expiresAt: Type.Optional(Type.Number({ description: 'milliseconds since the epoch' })),
})
export type ApprovalRequest = Static<typeof ApprovalRequest>

/** Asks a person for something only a person knows. */
export const InputRequest = Type.Object({
  kind: Type.Literal('input'),
  prompt: Text('the question'),
  schema: Type.Optional(Opaque<JsonSchema>('JSON Schema of the answer')),
})
export type InputRequest = Static<typeof InputRequest>

/** What a person said to an approval. */
export const Decision = Type.Object(
  {
    decision: Type.Enum(['approve', 'deny', 'edit']),
    args: Type.Optional(Type.Unknown({ description: 'of `edit`: the arguments to call with' })),
    remember: Type.Optional(
      Type.Enum(['once', 'run'], { description: 'default `once`: this one call; `run`: every equal call of the run' }),
    ),
    note: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)
export type Decision = Static<typeof Decision>

/** How a wait ended. */
export type Resolution =
  | {
      kind: 'approval'
      decision: 'approve' | 'deny'
      args: unknown
      by: string
      note?: string
      remember?: 'once' | 'run'
    }
  | { kind: 'input'; value: unknown; by: string }
  | { kind: 'result'; content: ContentPart[]; isError: boolean; by: string }
  | { kind: 'expired' }

/** A question to a person, as it is listed. */
export const Approval = Type.Object({
  id: Text('`apr_` + ULID'),
  runId: Type.String(),
  agentId: Type.String(),
  callId: Type.String(),
  tool: Type.String(),
  args: Type.Unknown(),
  risk: ToolRisk,
  reason: Type.String(),
  preview: Type.String(),
  taint: Texts('untrusted sources that the agent has read'),
  expiresAt: IsoTime('after this it counts as denied'),
  status: ApprovalStatus,
  decision: Type.Optional(Type.Enum(['approve', 'deny', 'edit'])),
  by: Type.Optional(Type.String()),
})
export type Approval = Static<typeof Approval>
