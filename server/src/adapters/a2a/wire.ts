/** What goes over the wire of A2A 1.0, as its JSON has it: the part of it that is sent here. */

export type TaskState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_INPUT_REQUIRED'

export interface Part {
  text?: string
  data?: unknown
  url?: string
  filename?: string
  mediaType?: string
}

export interface Message {
  messageId: string
  contextId: string
  taskId: string
  role: 'ROLE_USER' | 'ROLE_AGENT'
  parts: readonly Part[]
}

export interface TaskStatus {
  state: TaskState
  message?: Message
  /** ISO time. */
  timestamp: string
}

export interface Artifact {
  artifactId: string
  name: string
  parts: readonly Part[]
  metadata?: Record<string, unknown>
}

export interface Task {
  id: string
  contextId: string
  status: TaskStatus
  artifacts?: readonly Artifact[]
  history?: readonly Message[]
  metadata?: Record<string, unknown>
}

interface Update {
  taskId: string
  contextId: string
}

/** One message of a stream. */
export type StreamResponse =
  | { task: Task }
  | { statusUpdate: Update & { status: TaskStatus; metadata?: Record<string, unknown> } }
  | { artifactUpdate: Update & { artifact: Artifact; append: boolean; lastChunk: boolean } }
