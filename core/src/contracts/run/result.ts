import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ErrorInfo } from '../error-info.ts'
import { Reason } from '../incomplete-reason.ts'
import { ResultFacts } from '../log/result-facts.ts'
import { UsageTotal } from '../model/usage.ts'
import { AgentProfile } from '../plugin/agent-profile.ts'
import { ByName, CostUsd, Count, Milliseconds, Text } from '../schema.ts'
import { Allocation } from '../stages/allocation.ts'
import { Claim } from '../stages/claim.ts'
import { Complexity } from '../stages/complexity.ts'
import { Consensus } from '../stages/consensus.ts'
import { AgentResult, Artifact, StepResult } from '../stages/execution.ts'
import { Inspection } from '../stages/inspection.ts'
import { Plan } from '../stages/plan.ts'
import { Reflection } from '../stages/reflection.ts'
import { Warning } from '../warning.ts'
import { TopologyName } from '../words.ts'
import { TaintSource } from './taint/taint-source.ts'

/**
 * What svc found out about the answer: `pass` evidence of this run holds every statement that can be checked, `unverified`
 * nothing is refuted and not all is held, `fail` false or undone.
 */
export const Verdict = Type.Enum(['pass', 'unverified', 'fail'])
export type Verdict = Static<typeof Verdict>

const EndStatus = Type.Enum(['completed', 'incomplete', 'failed', 'cancelled'])

/** What a run in mode `execute` returns, with the account of how it came to it. */
export const ExecutionResult = Type.Object({
  runId: Type.String(),
  status: EndStatus,
  verdict: Verdict,
  claims: Type.Array(Claim),
  /** Missing in results of versions that told none. */
  facts: Type.Optional(ResultFacts),
  summary: Text('the answer in plain text'),
  output: Type.Optional(Type.Unknown({ description: 'structured data, only where `outputSchema` asked for it' })),
  complexity: Type.Optional(Complexity),
  allocation: Type.Optional(Allocation),
  plan: Type.Optional(Plan),
  steps: Type.Array(StepResult),
  agents: Type.Array(AgentResult),
  artifacts: Type.Array(Artifact),
  reflection: Type.Optional(Reflection),
  consensus: Type.Optional(Consensus),
  inspection: Type.Optional(Inspection),
  tainted: Type.Optional(
    Type.Boolean({
      description:
        'true where something untrusted was read for the answer: a page of the web, a file of a folder that nobody trusts, a memory or an earlier answer that rests on such',
    }),
  ),
  taintedBy: Type.Optional(
    Type.Array(TaintSource, {
      description: 'what that was, each once, at most 50; absent in results of versions that did not say',
    }),
  ),
  toolCalls: Type.Object({
    total: Count('asked for'),
    failed: Count('that failed'),
    denied: Count('that policy or a person refused'),
  }),
  usage: UsageTotal,
  costUsd: CostUsd,
  timing: Type.Object({ queuedMs: Milliseconds('waiting to start'), durationMs: Milliseconds('from start to end') }),
  warnings: Type.Array(Warning),
  error: Type.Optional(ErrorInfo),
  incomplete: Type.Optional(Type.Object({ reason: Reason('why it is incomplete') })),
  traceId: Text('32 hexadecimal digits'),
  links: ByName(Type.String()),
})
export type ExecutionResult = Static<typeof ExecutionResult>

/** How a run ended, and what its answer is worth. */
export const RunOutcome = Type.Object({
  status: ExecutionResult.properties.status,
  verdict: Verdict,
  reason: Type.Optional(Reason('why it is incomplete, or the code of the error that it failed with')),
})
export type RunOutcome = Static<typeof RunOutcome>

/** What a run in mode `plan` returns. */
export const PlanResult = Type.Object({
  runId: Type.String(),
  status: EndStatus,
  summary: Type.String(),
  topology: TopologyName,
  agents: Type.Array(AgentProfile),
  budget: Allocation,
  complexity: Complexity,
  plan: Plan,
  usage: UsageTotal,
  costUsd: CostUsd,
  warnings: Type.Array(Warning),
  error: Type.Optional(ErrorInfo),
})
export type PlanResult = Static<typeof PlanResult>

/** What a run in mode `analyze` returns. */
export type AnalysisResult = Complexity
