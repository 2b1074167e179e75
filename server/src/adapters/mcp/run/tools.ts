import {
  Complexity,
  CostUsd,
  ErrorInfo,
  Mode,
  Plan,
  RunCreate,
  RunId,
  RunStatus,
  UsageTotal,
  Verdict,
  Warning,
} from '@svc/core/schema'
import type { Static } from 'typebox'
import * as Type from 'typebox'

const closed = { additionalProperties: false }
const { task, model, topology, tokenBudget } = RunCreate.properties
const text = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })

/** What `run` is called with. */
export const RunInput = Type.Object(
  {
    task: { ...task, description: 'What is to be done, with everything that has to be known for it.' },
    threadId: Type.Optional(
      text('Conversation that the task goes on with; a name that is not known yet begins one. Default: none.'),
    ),
    model,
    topology,
    tokenBudget,
    maxCostUsd: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: 'hard limit in US dollars; needs a model with a price' }),
    ),
    mode: Type.Optional({
      ...Mode,
      description: 'how far the run goes: to its end, to its plan, or to the analysis of the task; default execute',
    }),
    approval: Type.Optional(
      Type.Enum(['wait', 'deny'], {
        description:
          'wait: a person is asked before a tool does what needs approval; deny: it does not. Default: wait where this client can ask its person, else deny.',
      }),
    ),
    background: Type.Optional(
      Type.Boolean({
        description: 'true: answers at once with the id of the run, which run_status then reads. Default false.',
      }),
    ),
  },
  closed,
)
export type RunInput = Static<typeof RunInput>

const runId = { ...RunId, description: 'as `run` answered it' }

/** What `run_status` is called with. */
export const StatusInput = Type.Object(
  {
    runId,
    waitMs: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 3_600_000, description: 'milliseconds to wait for its end; default 0' }),
    ),
  },
  closed,
)

/** What `run_cancel` is called with. */
export const CancelInput = Type.Object({ runId }, closed)

/** A run as the tools answer it. */
export const RunOutput = Type.Object({
  runId: Type.String(),
  status: RunStatus,
  mode: Mode,
  verdict: Type.Optional(Verdict),
  summary: Type.String({ description: 'the answer in plain text; empty while there is none' }),
  threadId: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String({ description: 'why it is incomplete' })),
  warnings: Type.Optional(
    Type.Array(Warning, { description: 'what its person is to know: what was left out or denied' }),
  ),
  error: Type.Optional(ErrorInfo),
  waitsFor: Type.Optional(Type.Array(Type.String(), { description: 'what people are asked before it goes on' })),
  plan: Type.Optional(Plan),
  analysis: Type.Optional(Complexity),
  usage: UsageTotal,
  costUsd: CostUsd,
  files: Type.Array(
    Type.Object({ name: Type.String(), uri: Type.String(), mimeType: Type.String(), bytes: Type.Integer() }),
    { description: 'files that it wrote, as resources' },
  ),
})
export type RunOutput = Static<typeof RunOutput>

/** The tools as they are listed. */
export const TOOLS = [
  {
    name: 'run',
    title: 'Run a task',
    description:
      'Has one agent or a team of agents do a task, within a budget, with the tools that its person allows, and checks the answer against what was really done. It may take minutes.',
    inputSchema: RunInput,
    outputSchema: RunOutput,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
  {
    name: 'run_status',
    title: 'Show a run',
    description: 'How a run stands, with its answer once it has ended.',
    inputSchema: StatusInput,
    outputSchema: RunOutput,
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'run_cancel',
    title: 'Cancel a run',
    description: 'Ends a run. One that has ended is answered as it is.',
    inputSchema: CancelInput,
    outputSchema: RunOutput,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
] as const
