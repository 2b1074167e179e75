import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { ContentPart } from '../model/message.ts'
import { PolicyRule } from '../policy-rule.ts'
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

/** What a permission beyond one call is about: the tool, commands that begin alike, or paths of a folder. */
export const GrantScope = Type.Enum(['call', 'tool', 'prefix', 'folder'])
export type GrantScope = Static<typeof GrantScope>

/** A permission that may be given with a yes, beyond equal calls. */
export const GrantOffer = Type.Object({
  scope: GrantScope,
  rule: { ...PolicyRule, description: 'the rule of the policy that says it; `always` writes it' },
})
export type GrantOffer = Static<typeof GrantOffer>

/** What a person said to an approval. */
export const Decision = Type.Object(
  {
    decision: Type.Enum(['approve', 'deny', 'edit']),
    args: Type.Optional(Type.Unknown({ description: 'of `edit`: the arguments to call with' })),
    remember: Type.Optional(
      Type.Enum(['once', 'run', 'always'], {
        description:
          'how long a yes holds: `once`, the default, for this call; `run` for the rest of the run; `always` for this run and later ones, in every folder: the rule is written to `rulesFile`',
      }),
    ),
    scope: Type.Optional({
      ...GrantScope,
      description:
        'of `run` and `always`: what the yes is about, `call` (equal calls) or one that the approval offers; default `call`. `always` needs one that is offered',
    }),
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
      remember?: 'once' | 'run' | 'always'
      /** The rule that holds for the rest of the run. */
      rule?: PolicyRule
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
  offers: Type.Optional(
    Type.Array(GrantOffer, {
      description: 'permissions that a yes may give beyond this call, the narrowest first; absent: none',
    }),
  ),
  rulesFile: Type.Optional(
    Text(
      'the config that `always` writes its rule to, shown to who may write it; absent: `always` is not offered. After an answer: where its rule was written',
    ),
  ),
  status: ApprovalStatus,
  decision: Type.Optional(Type.Enum(['approve', 'deny', 'edit'])),
  by: Type.Optional(Type.String()),
})
export type Approval = Static<typeof Approval>
