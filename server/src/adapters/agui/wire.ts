/** What goes over the wire of AG-UI 1.0: the part of it that is sent here. */

export interface Interrupt {
  id: string
  reason: 'tool_call' | 'input_required' | 'confirmation'
  message: string
  toolCallId?: string
  /** JSON Schema of the `payload` that answers it. */
  responseSchema: Record<string, unknown>
  /** ISO time. */
  expiresAt?: string
  metadata?: Record<string, unknown>
}

export type Outcome =
  | { type: 'success'; pendingToolCallIds?: readonly string[] }
  | { type: 'interrupt'; interrupts: readonly Interrupt[] }
  | { type: 'cancelled' }

type Metadata = { metadata?: Record<string, unknown> }
type Ids = { threadId: string; runId: string }

export type AguiEvent = Metadata &
  (
    | ({ type: 'RUN_STARTED'; protocolVersion: '1.0'; parentRunId?: string } & Ids)
    | ({ type: 'RUN_FINISHED'; outcome: Outcome; result?: unknown; usage: readonly object[] } & Ids)
    | { type: 'RUN_ERROR'; message: string; code: string }
    | { type: 'STEP_STARTED' | 'STEP_FINISHED'; stepName: string }
    | { type: 'TEXT_MESSAGE_START'; messageId: string; role: 'assistant' }
    | { type: 'TEXT_MESSAGE_CONTENT'; messageId: string; delta: string }
    | { type: 'TEXT_MESSAGE_END'; messageId: string }
    | { type: 'REASONING_START' | 'REASONING_MESSAGE_END' | 'REASONING_END'; messageId: string }
    | { type: 'REASONING_MESSAGE_START'; messageId: string; role: 'reasoning' }
    | { type: 'REASONING_MESSAGE_CONTENT'; messageId: string; delta: string }
    | { type: 'TOOL_CALL_START'; toolCallId: string; toolCallName: string; parentMessageId: string }
    | { type: 'TOOL_CALL_ARGS'; toolCallId: string; delta: string }
    | { type: 'TOOL_CALL_END'; toolCallId: string }
    | { type: 'TOOL_CALL_RESULT'; messageId: string; toolCallId: string; content: string; role: 'tool' }
    | { type: 'STATE_SNAPSHOT'; snapshot: unknown }
    | { type: 'STATE_DELTA'; delta: readonly object[] }
  )
