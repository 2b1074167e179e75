import {
  AgentInput,
  AgentProfile,
  Allocation,
  Approval,
  Complexity,
  Consensus,
  Decision,
  DURABLE_EVENT_DATA,
  EPHEMERAL_EVENT_DATA,
  ErrorInfo,
  Execution,
  ExecutionResult,
  Inspection,
  Issue,
  MemoryChange,
  MemoryHit,
  MemoryQuery,
  MemoryRecord,
  MemoryResult,
  MemoryWrite,
  Plan,
  PlanResult,
  PlanStep,
  Reflection,
  RunCreate,
  RunOptions,
  RunTrace,
  Span,
  Thread,
  ThreadMessage,
  Usage,
  UsageTotal,
  Vote,
  Warning,
} from '@svc/core/schema'
import type { TSchema } from 'typebox'
import * as Type from 'typebox'
import { EventBody } from '../runs/read-events.ts'
import { RunBody } from '../runs/run-body.ts'
import { RunUsage } from '../runs/usage.ts'

/** How an error is sent (RFC 9457). */
const Problem = Type.Object({
  type: Type.String({ description: 'an address that names the code' }),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  instance: Type.String(),
  code: Type.String({ description: 'for programs to branch on' }),
  requestId: Type.String(),
  retryable: Type.Boolean(),
  errors: Type.Optional(
    Type.Array(Type.Object({ path: Type.String({ description: 'a JSON pointer' }), message: Type.String() })),
  ),
})

/** Schemas that stand in the document under a name. */
export const NAMED: Readonly<Record<string, TSchema>> = {
  Problem,
  Run: RunBody,
  RunCreate,
  RunOptions,
  RunUsage,
  RunTrace,
  Span,
  ExecutionResult,
  PlanResult,
  Complexity,
  Allocation,
  Plan,
  PlanStep,
  Execution,
  Reflection,
  Consensus,
  Vote,
  Inspection,
  Issue,
  Approval,
  Decision,
  Thread,
  ThreadMessage,
  AgentProfile,
  AgentInput,
  MemoryRecord,
  MemoryHit,
  MemoryWrite,
  MemoryChange,
  MemoryQuery,
  MemoryResult,
  Usage,
  UsageTotal,
  ErrorInfo,
  Warning,
  EventEnvelope: EventBody,
}

/** The data of each type of event. */
export const EVENT_DATA: Readonly<Record<string, TSchema>> = { ...DURABLE_EVENT_DATA, ...EPHEMERAL_EVENT_DATA }
