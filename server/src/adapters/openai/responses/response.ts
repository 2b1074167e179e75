import type { Approval, UsageTotal } from '@svc/core'
import type { Outcome, SvcFacts } from '../../shared/outcome.ts'

/** Fields of a response that say what was asked for. */
export type Echo = Readonly<Record<string, unknown>> & { model: string }

export interface TextItem {
  type: 'message'
  id: string
  status: 'in_progress' | 'completed'
  role: 'assistant'
  content: { type: 'output_text'; text: string; annotations: []; logprobs: [] }[]
}

export type OutputItem =
  | TextItem
  | {
      type: 'function_call'
      id: string
      call_id: string
      name: string
      arguments: string
      status: 'in_progress' | 'completed'
    }
  | { type: 'mcp_approval_request'; id: string; server_label: 'svc'; name: string; arguments: string }

export type Status = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'

/** What a response has come to. */
export interface State {
  status: Status
  isRefused?: boolean
  output: readonly OutputItem[]
  usage?: UsageTotal
  error?: { code: string; message: string }
  facts?: SvcFacts
}

export const toText = (text: string): TextItem['content'][number] => ({
  type: 'output_text',
  text,
  annotations: [],
  logprobs: [],
})

export const toMessage = (id: string, text: string): TextItem => ({
  type: 'message',
  id,
  status: 'completed',
  role: 'assistant',
  content: [toText(text)],
})

/** What the client has to do: calls of its functions, and approvals. */
export const toRequests = ({ calls, approvals }: Pick<Outcome, 'calls' | 'approvals'>): OutputItem[] => [
  ...calls.map(({ id, name, args }) => ({
    type: 'function_call' as const,
    id: `fc_${id.slice('call_'.length)}`,
    call_id: id,
    name,
    arguments: JSON.stringify(args),
    status: 'completed' as const,
  })),
  ...approvals.map(toApprovalRequest),
]

const toApprovalRequest = ({ id, tool, args }: Approval): OutputItem => ({
  type: 'mcp_approval_request',
  id,
  server_label: 'svc',
  name: tool,
  arguments: JSON.stringify(args),
})

/** What an outcome is of a response. @param id of the response */
export const toState = (id: string, outcome: Outcome): State => ({
  status: statusOf(outcome),
  isRefused: outcome.isRefused,
  output: [...(outcome.text === '' ? [] : [toMessage(messageId(id, 0), outcome.text)]), ...toRequests(outcome)],
  usage: outcome.usage,
  facts: outcome.facts,
})

export const messageId = (responseId: string, index: number): string =>
  `msg_${responseId.slice('resp_'.length)}_${index}`

export const statusOf = ({ isCut, isRefused, calls, approvals }: Outcome): Status =>
  (isCut || isRefused) && calls.length + approvals.length === 0 ? 'incomplete' : 'completed'

const toUsage = ({ inputTokens, outputTokens, cachedTokens = 0, reasoningTokens = 0 }: UsageTotal) => ({
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: cachedTokens },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: reasoningTokens },
  total_tokens: inputTokens + outputTokens,
})

/** @param createdAt ISO time */
export const toResponse = (
  id: string,
  createdAt: string,
  echo: Echo,
  { status, isRefused, output, usage, error, facts }: State,
) => ({
  id,
  object: 'response' as const,
  created_at: Math.floor(Date.parse(createdAt) / 1_000),
  status,
  error: error ?? null,
  incomplete_details: status === 'incomplete' ? { reason: isRefused ? 'content_filter' : 'max_output_tokens' } : null,
  ...echo,
  output,
  usage: usage === undefined ? null : toUsage(usage),
  ...(facts && { svc: facts }),
})

/** What is said of a request in its response. Fields that svc does not know are not there. */
export const toEcho = (model: string, asked: Readonly<Record<string, unknown>>): Echo => ({
  background: asked.background ?? false,
  instructions: asked.instructions ?? null,
  max_output_tokens: asked.max_output_tokens ?? null,
  metadata: asked.metadata ?? {},
  model,
  parallel_tool_calls: true,
  previous_response_id: asked.previous_response_id ?? null,
  reasoning: { effort: null, summary: null, ...(asked.reasoning as object | null | undefined) },
  store: asked.store ?? true,
  temperature: asked.temperature ?? null,
  text: { format: { type: 'text' }, ...(asked.text as object | null | undefined) },
  tool_choice: asked.tool_choice ?? 'auto',
  tools: asked.tools ?? [],
  top_p: null,
  truncation: 'auto',
  user: asked.user ?? null,
})
