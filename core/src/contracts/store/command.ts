import type { ContentPart } from '../model/message.ts'
import type { PolicyRule } from '../policy-rule.ts'
import type { Decision } from '../run/approval.ts'
import type { RunMessage } from '../run/run-message.ts'

/** A request to the holder of a run, from any process. Recorded, then observed. */
export type Command = { id: string } & (
  | { kind: 'cancel'; reason: string; by: string }
  | { kind: 'answer'; approvalId: string; decision: Decision; by: string; rule?: PolicyRule }
  | { kind: 'input'; key: string; value: unknown; by: string }
  | { kind: 'result'; callId: string; content: ContentPart[]; isError: boolean; by: string }
  | ({ kind: 'message' } & Omit<RunMessage, 'id'>)
)
