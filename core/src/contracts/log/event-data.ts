/**
 * What each type of event carries: one schema a type, from which the TypeScript types and the HTTP schemas come.
 *
 * Optional fields are those that only some emitters know.
 */
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ErrorInfo } from '../error-info.ts'
import { ContentPart, ToolCall } from '../model/message.ts'
import { Effort, FinishReason, ModelRequest, ModelServer } from '../model/model.ts'
import { Reserve, Usage } from '../model/usage.ts'
import { AgentProfile } from '../plugin/agent-profile.ts'
import { PolicyRule } from '../policy-rule.ts'
import { Approval } from '../run/approval.ts'
import type { ExecutionResult, PlanResult } from '../run/result.ts'
import { RunOptions } from '../run/run.ts'
import { RunMessage } from '../run/run-message.ts'
import type { JsonSchema } from '../schema.ts'
import { ByName, CostUsd, Count, Fraction, Milliseconds, Opaque, Text, Texts, Tokens } from '../schema.ts'
import { Allocation } from '../stages/allocation.ts'
import { Complexity } from '../stages/complexity.ts'
import { Consensus, Vote } from '../stages/consensus.ts'
import { Issue } from '../stages/inspection.ts'
import { Plan } from '../stages/plan.ts'
import { Reflection } from '../stages/reflection.ts'
import type { Stage } from '../stages/stages.ts'
import { ClientCall } from '../tool/client-tool.ts'
import { Warning } from '../warning.ts'
import { Layer, Mode, ToolRisk, WorkStatus } from '../words.ts'
import { LoggedPrompt } from './prompt.ts'
import { StageTap } from './stage-tap.ts'

const optional = Type.Optional
const Result = Type.Object({ result: Opaque<ExecutionResult | PlanResult | Complexity>('what the run returns') })
const Failure = Type.Object({ error: ErrorInfo })
const Taps = optional(Type.Array(StageTap, { description: 'of the stage, in the order in which they were asked' }))
const TextPiece = Type.Object({ text: Type.String() })
const Empty = Type.Object({})
const CalledWith = optional(
  Type.Unknown({ description: 'what the tool was called with, where a person or a plugin changed what was asked for' }),
)
const Tainted = optional(
  Type.Boolean({ description: 'true where it may hold what an agent wrote that had read something untrusted' }),
)

const NodeKind = Type.Unsafe<'agent' | 'step' | 'lead' | 'critic' | 'synthesizer' | 'vote' | (string & {})>(
  Type.String(),
)
const EdgeKind = Type.Unsafe<'does' | 'feeds' | 'reviews' | 'votes' | 'gathers' | 'delegates' | (string & {})>(
  Type.String(),
)

/** Events that are kept and numbered. */
export const DURABLE_EVENT_DATA = {
  'run.created': Type.Object({
    task: Type.String(),
    mode: Mode,
    options: RunOptions,
    configHash: Text('of the config in force'),
    versions: ByName(Type.String()),
    traceparent: optional(Text('of the caller, as W3C Trace Context writes it')),
    by: optional(Text('name of the key of a server that asked for it')),
  }),
  'run.queued': Type.Object({ position: Count('in the queue, from 1') }),
  'run.started': Type.Object({ attempt: Count('1, and one more for each recovery') }),
  'run.waiting': Type.Object({
    reason: Type.Enum(['approval', 'input', 'tool_call', 'indeterminate_tool', 'run_poisoned', 'replay_diverged']),
    approvalIds: optional(Texts('of the approvals that are waited for')),
    input: optional(
      Type.Object({ prompt: Type.String(), schema: optional(Opaque<JsonSchema>('JSON Schema of the answer')) }),
    ),
    calls: optional(Type.Array(ClientCall, { description: 'of tools of the client, that are waited for from now on' })),
  }),
  'run.resumed': Type.Object({ by: Text('who or what ended the wait') }),
  'run.recovered': Type.Object({
    recoveries: Count('in a row without a new record'),
    replayedEvents: Count('events that were there already'),
    indeterminate: Texts('keys of tool calls that were begun and not recorded as done'),
  }),
  'run.cancelling': Type.Object({ reason: Type.String(), by: Type.String() }),
  'run.completed': Result,
  'run.incomplete': Result,
  'run.failed': Result,
  'run.cancelled': Result,
  'stage.started': Type.Object({ plugins: Texts('that tap the stage, in order') }),
  'stage.completed': Type.Object({
    durationMs: Milliseconds('of the stage'),
    plugin: Text('whose answer stands; empty when the stage stayed unanswered'),
    taps: Taps,
    inherited: optional(
      Type.Boolean({
        description: 'a fork kept the answer of its parent, and asked nobody; the time is of then',
      }),
    ),
  }),
  'stage.failed': Type.Object({ error: ErrorInfo, taps: Taps }),
  'analysis.completed': Complexity,
  'budget.allocated': Allocation,
  'plan.created': Plan,
  'plan.revised': Type.Object({ reason: Type.String(), plan: Plan }),
  'budget.updated': Type.Object({
    agentId: Type.String(),
    used: Tokens('by the agent'),
    remaining: Tokens('until a hard limit'),
    costUsd: CostUsd,
  }),
  'budget.warning': Type.Object({ scope: Text('`soft`, or an agent'), ratio: Type.Number() }),
  'budget.exhausted': Type.Object({ scope: Type.String(), limit: Tokens('of the scope'), used: Tokens('so far') }),
  'topology.updated': Type.Object({
    nodes: Type.Array(Type.Object({ id: Type.String(), kind: NodeKind, label: Type.String(), status: WorkStatus })),
    edges: Type.Array(Type.Object({ from: Type.String(), to: Type.String(), kind: EdgeKind }), {
      description: 'Empty: the nodes replace those of the same ids. Else nodes and edges are the whole graph.',
    }),
  }),
  'agent.created': Type.Union([
    AgentProfile,
    Type.Object({ id: Type.String(), name: Type.String(), role: Type.String() }),
  ]),
  'agent.started': Type.Object({ objective: Type.String(), tokens: Tokens('its share') }),
  'agent.completed': Type.Object({ output: Type.String(), usage: Usage, durationMs: Milliseconds('of its work') }),
  'agent.failed': Type.Object({ error: ErrorInfo, willRetry: Type.Boolean() }),
  'agent.cancelled': Type.Object({ reason: Type.String() }),
  'agent.steered': Type.Object({
    messages: Type.Array(RunMessage, { description: 'of people, that the agent reads before its next model call' }),
  }),
  'agent.handoff': Type.Object({
    from: Type.String(),
    to: Type.String(),
    reason: Type.String(),
    payloadRef: Text('the step whose output is handed on'),
  }),
  'agent.message': Type.Object({
    from: Type.String(),
    to: Texts('agents'),
    role: Type.String(),
    content: Type.String(),
    trust: Type.Enum(['trusted', 'untrusted']),
  }),
  'step.started': Type.Object({ objective: Type.String(), dependsOn: Texts('steps') }),
  'step.completed': Type.Object({
    output: Type.String(),
    usage: Usage,
    finishReason: optional(FinishReason),
    acceptance: optional(Texts('what the answer had to meet')),
    vote: optional(
      Type.Object({
        decidedBy: Type.Enum(['majority', 'model']),
        clusters: Type.Array(Texts('ids of the steps whose drafts say the same')),
      }),
    ),
  }),
  'step.failed': Failure,
  'step.skipped': Type.Object({ why: Type.String() }),
  'step.retrying': Type.Object({
    tries: Count('of the try that begins'),
    delayMs: Milliseconds('before it'),
    error: optional(ErrorInfo),
    check: optional(Type.Object({ id: Type.String(), evidence: Type.String() })),
  }),
  'model.started': Type.Object({
    provider: Type.String(),
    model: Type.String(),
    params: Type.Object({
      temperature: optional(Type.Number()),
      effort: optional(Effort),
      maxOutputTokens: optional(Type.Number()),
      seed: optional(Type.Number()),
      toolChoice: ModelRequest.properties.toolChoice,
      tools: optional(Texts('offered')),
      stop: optional(Texts('sequences at which to stop')),
      outputSchema: optional(Type.Boolean({ description: 'true where JSON that fits a schema was asked for' })),
      outputSchemaSha256: optional(Text('of that schema as canonical JSON')),
    }),
    estimatedInputTokens: Tokens('of the request'),
    server: optional(ModelServer),
    prompt: optional(LoggedPrompt),
  }),
  'model.completed': Type.Object({
    provider: Type.String(),
    model: Type.String(),
    text: optional(Type.String()),
    toolCalls: Type.Array(ToolCall),
    finishReason: FinishReason,
    usage: Usage,
    costUsd: CostUsd,
    latencyMs: Milliseconds('of the call'),
    ttftMs: optional(Milliseconds('until the first piece')),
    cached: Type.Boolean({ description: 'true when it was answered from a record' }),
    recorded: optional(Type.Boolean({ description: 'true when it was answered from the recording of another run' })),
    responseId: optional(Text('what the vendor calls the answer')),
    unseen: optional(Texts('images and files of the request that the model was given in words alone')),
  }),
  'model.failed': Type.Object({
    provider: Type.String(),
    model: Type.String(),
    error: ErrorInfo,
    usage: optional(Usage),
    costUsd: optional(CostUsd),
  }),
  'model.retrying': Type.Object({
    tries: Count('of the try that begins'),
    delayMs: Milliseconds(''),
    cause: ErrorInfo,
    reserve: optional(Reserve),
  }),
  'model.adapted': Type.Object({
    provider: Type.String(),
    model: Type.String(),
    learnt: Texts('fields of the config of the provider that make permanent how it is asked from now on'),
    cause: optional(ErrorInfo),
  }),
  'model.fallback': Type.Object({ from: Type.String(), to: Type.String(), cause: ErrorInfo }),
  'message.completed': Type.Object({
    role: Type.Enum(['assistant', 'user', 'system', 'tool']),
    content: Type.Array(ContentPart),
    streamed: optional(Type.Boolean()),
  }),
  'tool.requested': Type.Object({
    tool: Type.String(),
    args: Type.Unknown(),
    risk: optional(ToolRisk),
    source: optional(Text('where the tool comes from ')),
    taint: optional(Texts('untrusted content that reached the agent')),
  }),
  'tool.started': Type.Object({
    tool: Type.String(),
    sandbox: Type.String(),
    idempotencyKey: Type.String(),
    tainted: optional(Type.Boolean({ description: 'true where what it writes may hold untrusted content' })),
  }),
  'tool.completed': Type.Object({
    tool: Type.String(),
    result: Text('images and PDFs in words'),
    media: optional(Texts('the images and PDFs in it, in words')),
    bytes: Count('of the whole result'),
    truncated: Type.Boolean(),
    durationMs: Milliseconds('of the call'),
    trust: Type.Enum(['trusted', 'untrusted']),
    tainted: Tainted,
    ref: optional(Text('of the whole result, where it was cut')),
    args: CalledWith,
  }),
  'tool.failed': Type.Object({
    tool: optional(Type.String()),
    error: ErrorInfo,
    durationMs: optional(Milliseconds('of the call')),
    trust: optional(Type.Enum(['trusted', 'untrusted'])),
    tainted: Tainted,
    args: CalledWith,
  }),
  'tool.denied': Type.Object({
    tool: optional(Type.String()),
    rule: Text('that refused'),
    reason: Type.String(),
    by: optional(Type.Enum(['rule', 'person', 'nobody'])),
    note: optional(Text('of the person')),
    allowedBy: optional(PolicyRule),
    error: optional(ErrorInfo),
    durationMs: optional(Milliseconds('of the call')),
  }),
  'approval.requested': Approval,
  'approval.resolved': Type.Object({
    decision: Type.Enum(['approve', 'deny', 'edit']),
    by: Type.String(),
    args: optional(Type.Unknown()),
    note: optional(Type.String()),
  }),
  'approval.expired': Empty,
  'consensus.started': Type.Object({ question: Type.String(), models: Texts('that vote') }),
  'consensus.vote': Vote,
  'consensus.resolved': Consensus,
  'reflection.completed': Reflection,
  'inspect.issue': Issue,
  'memory.written': Type.Object({ id: Type.String(), layer: Layer, bytes: Count('of the content') }),
  'memory.recalled': Type.Object({
    query: Type.String(),
    ids: Texts('of the records'),
    scores: Type.Array(Fraction('of a record')),
  }),
  'plugin.error': Type.Object({ plugin: Type.String(), stage: Type.Unsafe<Stage>(Type.String()), error: ErrorInfo }),
} as const

/** Events that are sent once and not kept: they have no `seq`. */
export const EPHEMERAL_EVENT_DATA = {
  'message.delta': TextPiece,
  'message.reset': Type.Object({
    reason: Type.Enum(['retry', 'tool_call', 'model_failed'], {
      description: 'another draft begins; what was said led to a tool call; the call that said it was cut off',
    }),
  }),
  'message.snapshot': Type.Object({
    textSoFar: Text('in place of what was said; without a `callId`, the whole answer'),
  }),
  'reasoning.delta': TextPiece,
  'tool.output': Type.Object({ stream: Type.Enum(['stdout', 'stderr']), chunk: Type.String() }),
  'log.line': Type.Object({ level: Type.String(), message: Type.String() }),
  'stream.warning': Type.Object({ code: Warning.properties.code }),
} as const

type Schemas = typeof DURABLE_EVENT_DATA & typeof EPHEMERAL_EVENT_DATA

/** The data of every type of event. */
export type EventData = { [T in keyof Schemas]: Static<Schemas[T]> }
