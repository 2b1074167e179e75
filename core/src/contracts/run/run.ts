import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ErrorInfo } from '../error-info.ts'
import { Slug } from '../ids.ts'
import { Reason } from '../incomplete-reason.ts'
import { GivenTurn } from '../model/given-turn.ts'
import { ContentPart } from '../model/message.ts'
import { Effort } from '../model/model.ts'
import { UsageTotal } from '../model/usage.ts'
import { AgentInput } from '../plugin/agent-profile.ts'
import type { JsonSchema } from '../schema.ts'
import { ByName, CostUsd, Count, IsoTime, Opaque, Text, Texts } from '../schema.ts'
import type { Complexity } from '../stages/complexity.ts'
import { Plan } from '../stages/plan.ts'
import { ClientCall, ClientTool } from '../tool/client-tool.ts'
import { Mode, RiskLevel, RunStatus, TopologyName, WorkStatus } from '../words.ts'
import { Approval } from './approval.ts'
import { type ExecutionResult, type PlanResult, Verdict } from './result.ts'
import { RunMessage } from './run-message.ts'

/** Hard limits of a run. */
export const RunBudget = Type.Object(
  {
    maxTokens: Type.Optional(
      Type.Integer({ minimum: 1, description: 'hard limit in tokens; default twice the soft budget' }),
    ),
    maxCostUsd: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: 'hard limit in US dollars; needs a model with a price' }),
    ),
    maxSteps: Type.Optional(Type.Integer({ minimum: 1, description: 'hard limit of model calls' })),
    maxWallMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'hard limit of the time at work, without the time in which the run waits',
      }),
    ),
    maxQueueMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'longest time in the queue: a run that has not begun by then fails with `queue_timeout`; default no limit',
      }),
    ),
  },
  { additionalProperties: false },
)
export type RunBudget = Static<typeof RunBudget>

const options = {
  riskLevel: Type.Optional(RiskLevel),
  topology: Type.Optional(
    Type.Unsafe<TopologyName | 'AUTO'>(
      Text('a topology, one of its aliases, AUTO, or the name of one that a plugin registered; any case'),
    ),
  ),
  model: Type.Optional(Text('`provider/model`')),
  agents: Type.Optional(Type.Array(Type.Union([Slug('of a profile'), AgentInput]), { maxItems: 20 })),
  budget: Type.Optional(RunBudget),
  tokenBudget: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'soft budget in tokens, input and output together; default 64000, at least 1024 unless a plugin of your own allocates',
    }),
  ),
  tools: Type.Optional(
    Type.Object(
      { allow: Type.Optional(Texts('only these')), deny: Type.Optional(Texts('not these')) },
      { additionalProperties: false },
    ),
  ),
  approval: Type.Optional(Type.Enum(['deny', 'wait', 'allow-write'])),
  allowWrites: Type.Optional(
    Type.Boolean({
      description: 'true: calls of risk write are made unasked, but those that always ask; default with `allow-write`',
    }),
  ),
  readOnly: Type.Optional(
    Type.Boolean({
      description:
        'true: agents plan and change nothing: their instructions say so, and each call of another risk than `read` is denied; runs that resume or fork it keep it',
    }),
  ),
  summarizes: Type.Optional(
    Type.Boolean({
      description:
        'true: its answer stands for what was said in its thread before it, in all that later runs are sent; it is made by `smallModel` of the config where no model is named, and needs a `threadId` and a model that is none of the deterministic ones',
    }),
  ),
  instructions: Type.Optional(
    Type.String({ maxLength: 200_000, description: 'how it is to be answered, for the system message of each agent' }),
  ),
  outputSchema: Type.Optional(Opaque<JsonSchema>('asks for JSON of this shape')),
  context: Type.Optional(
    Type.Union([Type.String(), Type.Array(ContentPart, { maxItems: 200 })], {
      description: 'material that comes with the task: a text, or texts, images and PDFs',
    }),
  ),
  untrusted: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 4_096 }), {
      maxItems: 100,
      description: 'what of the task and `context` comes from others, in words: it taints each agent from the start',
    }),
  ),
  files: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 4_096 }), {
      maxItems: 100,
      description:
        'names and globs of files of the workspace, which are read when the run is made and added to `context`',
    }),
  ),
  consensus: Type.Optional(Type.Boolean({ description: 'true: vote whatever the risk; false: never' })),
  reflect: Type.Optional(Type.Boolean({ description: 'false: skip' })),
  strict: Type.Optional(
    Type.Boolean({
      description:
        'true: the run is `incomplete` with reason `not_verified` unless its verdict is `pass`; default false',
    }),
  ),
  memory: Type.Optional(
    Type.Boolean({ description: 'false: the run recalls nothing, and nothing of it is remembered' }),
  ),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: 'of agents whose profile sets none' })),
  effort: Type.Optional(Effort),
  maxOutputTokens: Type.Optional(
    Type.Integer({ minimum: 1, description: 'longest answer of one model call, of agents whose profile sets none' }),
  ),
  seed: Type.Optional(Type.Integer()),
  priority: Type.Optional(
    Type.Integer({ minimum: -100, maximum: 100, description: 'of queued runs the highest starts first; default 0' }),
  ),
  metadata: Type.Optional(ByName(Type.Unknown())),
  tags: Type.Optional(Texts('for filtering')),
}

/** How a run is to be made. */
export const RunOptions = Type.Object(options, { additionalProperties: false })
export type RunOptions = Static<typeof RunOptions>

/** A new run. */
export const RunCreate = Type.Object(
  {
    task: Type.String({ minLength: 1, maxLength: 200_000, description: '1 to 200 000 characters' }),
    mode: Type.Optional(Mode),
    threadId: Type.Optional(Type.String()),
    plan: Type.Optional(Plan),
    onDisconnect: Type.Optional(Type.Enum(['continue', 'cancel'])),
    turns: Type.Optional(
      Type.Array(GivenTurn, {
        maxItems: 10_000,
        description: 'what was said before, oldest first, of a run without a thread: what fits is sent, as of a thread',
      }),
    ),
    clientTools: Type.Optional(
      Type.Array(ClientTool, {
        maxItems: 128,
        description:
          'tools of who asks: where one is called, the run waits until `results` of a resume say what came of it',
      }),
    ),
    ...options,
  },
  { additionalProperties: false },
)
export type RunCreate = Static<typeof RunCreate>

/** What a run took of one model. */
export const ModelUse = Type.Object({
  model: Text('`provider/model`'),
  inputTokens: Count('tokens sent'),
  outputTokens: Count('tokens received'),
  costUsd: CostUsd,
})
export type ModelUse = Static<typeof ModelUse>

/** A piece of a run's answer in which a search found something. */
export const FoundText = Type.Object({
  text: Text('at most 200 characters, on one line'),
  from: Count('where in `text` the words that were searched for begin, in UTF-16 units'),
  to: Count('where they end, not included'),
})
export type FoundText = Static<typeof FoundText>

/** A run as it is listed. */
export const Run = Type.Object({
  id: Text('`run_` + ULID'),
  status: RunStatus,
  mode: Mode,
  readOnly: Type.Optional(Type.Boolean({ description: 'true: its agents plan, and change nothing' })),
  task: Type.String(),
  by: Type.Optional(Text('name of the key of a server that asked for it; absent: no server did')),
  space: Type.Optional(
    Text("where it was begun and is worked on: the project's folder, or the config's `store.space`"),
  ),
  threadId: Type.Optional(Type.String()),
  parentRunId: Type.Optional(Type.String()),
  recoveries: Count('crashes survived since the last new record'),
  version: Count('counts changes'),
  createdAt: IsoTime('when it was asked for'),
  startedAt: Type.Optional(IsoTime('when it began')),
  finishedAt: Type.Optional(IsoTime('when it ended')),
  lastSeq: Count('number of its newest event'),
  topology: Type.Optional(TopologyName),
  agents: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), status: WorkStatus })),
  waiting: Type.Optional(
    Type.Object({
      approvals: Type.Optional(Type.Array(Approval)),
      input: Type.Optional(
        Type.Object({ prompt: Type.String(), schema: Type.Optional(Opaque<JsonSchema>('of the answer')) }),
      ),
      calls: Type.Optional(Type.Array(ClientCall, { description: 'of tools of the client' })),
    }),
  ),
  messages: Type.Optional(
    Type.Array(RunMessage, { description: 'what people said to it while it worked, and an agent has read' }),
  ),
  unread: Type.Optional(
    Type.Array(RunMessage, {
      description: 'the same that no agent has read: not yet, or of an ended run, never; not in lists',
    }),
  ),
  usage: UsageTotal,
  costUsd: CostUsd,
  models: Type.Optional(
    Type.Array(ModelUse, {
      description: 'what it took of each model, failed calls included; absent before its first call',
    }),
  ),
  error: Type.Optional(ErrorInfo),
  incomplete: Type.Optional(Type.Object({ reason: Reason('why it is incomplete') })),
  verdict: Type.Optional(Verdict),
  left: Type.Optional(
    Type.Boolean({
      description: 'true: it began and has not ended, and no process works on it: its process died or gave it up',
    }),
  ),
  result: Type.Optional(Opaque<ExecutionResult | PlanResult | Complexity>('by its mode')),
  tags: Type.Optional(Texts('for filtering')),
  found: Type.Optional(
    Type.Object(FoundText.properties, {
      description: 'in lists with `q`, where the answer says it and the task does not: the text around it',
    }),
  ),
  links: ByName(Type.String()),
})
export type Run = Static<typeof Run>

const usd = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }))
const whole = (description: string) => Type.Optional(Count(description))

/** What lists of runs are filtered by, of what is one of a few words or a number. Bounds are inclusive. */
export const RunFilter = Type.Object({
  status: Type.Optional(RunStatus),
  mode: Type.Optional(Mode),
  verdict: Type.Optional(Verdict),
  minCostUsd: usd('of runs whose cost is known'),
  maxCostUsd: usd('of runs whose cost is known'),
  minTokens: whole('input and output together'),
  maxTokens: whole('input and output together'),
  minDurationMs: whole('from beginning to end, of runs that have ended'),
  maxDurationMs: whole('from beginning to end, of runs that have ended'),
})
export type RunFilter = Static<typeof RunFilter>
