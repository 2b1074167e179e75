import type { ErrorInfo } from '../error-info.ts'
import type { ToolCall } from '../model/message.ts'
import type { FinishReason } from '../model/model.ts'
import type { Usage } from '../model/usage.ts'
import type { PolicyRule } from '../policy-rule.ts'
import type { ToolRisk, WorkStatus } from '../words.ts'

/** A model call as its events tell it. */
export interface ModelCallView {
  callId: string
  agentId: string
  stepId?: string | undefined
  provider: string
  model: string
  status: 'running' | 'completed' | 'failed'
  /** What was said so far; the whole text once completed. */
  text: string
  toolCalls: readonly ToolCall[]
  finishReason?: FinishReason
  usage: Usage
  costUsd: number | null
  latencyMs: number
  retries: number
  error?: ErrorInfo
  /** Number of the event that began the call: with it, `promptOf` answers what was sent. */
  startedSeq?: number | undefined
  /** Number of the event that ended the call. */
  seq?: number | undefined
}

/** A tool call as its events tell it. */
export interface ToolCallView {
  callId: string
  agentId: string
  stepId?: string | undefined
  tool: string
  /** What was asked for; once the call has ended, what the tool was called with. */
  args: unknown
  risk: ToolRisk
  status: 'requested' | 'running' | 'completed' | 'failed' | 'denied'
  /** What the tool printed, as the model saw it. */
  result?: string
  trust: 'trusted' | 'untrusted'
  /** True where it may hold what an agent wrote that had read something untrusted. */
  tainted?: boolean
  truncated: boolean
  error?: ErrorInfo
  /** Of a denied call: the rule, and who refused. */
  denied?: { rule: string; reason: string; by: 'rule' | 'person' | 'nobody'; allowedBy?: PolicyRule | undefined }
  durationMs: number
  /** Number of the event that asked for the call. */
  requestedSeq?: number | undefined
  /** Number of the event that began it; absent where it was refused, or answered from a record without being made. */
  startedSeq?: number | undefined
  /** Number of the event that ended the call. */
  seq?: number | undefined
}

/** A plan step as its events tell it. */
export interface StepView {
  id: string
  agentId: string
  objective: string
  dependsOn: readonly string[]
  status: WorkStatus
  output: string
  tries: number
  error?: ErrorInfo
  /** Milliseconds since the epoch. */
  startedAt: number
  endedAt?: number
}

/** An agent as its events tell it. */
export interface AgentView {
  id: string
  name: string
  role: string
  status: WorkStatus
  objective?: string
}
