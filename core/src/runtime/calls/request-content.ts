import type { RequestContent } from '../../contracts/cassette.ts'
import type { EventData } from '../../contracts/event.ts'
import type { Message } from '../../contracts/message.ts'
import type { ModelRequest, ToolSpec } from '../../contracts/model.ts'
import type { PromptMessage } from '../../contracts/prompt.ts'
import { toFullText } from '../../text/media.ts'
import { canonicalJson } from '../canonical-json.ts'
import { digest } from '../ids.ts'
import { type Redactor, redactTexts } from '../secrets.ts'

/** What a request says beside its messages, as the log has it. */
export function paramsOf(request: ModelRequest): EventData['model.started']['params'] {
  const { temperature, effort, maxOutputTokens, seed, toolChoice, tools, stop, outputSchema } = request
  const params: EventData['model.started']['params'] = {}
  if (temperature !== undefined) params.temperature = temperature
  if (effort !== undefined) params.effort = effort
  if (maxOutputTokens !== undefined) params.maxOutputTokens = maxOutputTokens
  if (seed !== undefined) params.seed = seed
  if (toolChoice !== undefined) params.toolChoice = toolChoice
  if (tools !== undefined) params.tools = tools.map(({ id }) => id)
  if (stop !== undefined) params.stop = [...stop]
  if (outputSchema !== undefined) {
    params.outputSchema = true
    params.outputSchemaSha256 = digest(canonicalJson(outputSchema))
  }
  return params
}

/** A conversation as `promptOf` reads it from a log, without what differs from run to run. */
export const toPrompt = (messages: readonly Message[], redact: Redactor): PromptMessage[] =>
  withoutIds(
    messages.map(({ role, content, toolCalls = [], toolCallId }) => ({
      role,
      text: redact(toFullText(content)),
      ...(toolCallId !== undefined && { callId: toolCallId }),
      ...(toolCalls.length > 0 && { toolCalls: redactTexts(toolCalls, redact) }),
    })),
  )

/** A run, or an event of one: the inspector names them in its notes to agents. */
const RUN_ID = /\brun_[0-9A-HJKMNP-TV-Z]{26}(?::\d+)?/g

/** The conversation with its tool calls numbered, and runs and events named by no id. */
export function withoutIds(messages: readonly PromptMessage[]): PromptMessage[] {
  const numbers = new Map<string, string>()
  const toNumber = (callId: string): string => {
    const known = numbers.get(callId) ?? `call ${numbers.size + 1}`
    numbers.set(callId, known)
    return known
  }
  return messages.map(({ role, text, callId, toolCalls }) => ({
    role,
    text: text.replace(RUN_ID, 'run'),
    ...(callId !== undefined && { callId: toNumber(callId) }),
    ...(toolCalls !== undefined && {
      toolCalls: toolCalls.map((call) => ({ ...call, callId: toNumber(call.callId) })),
    }),
  }))
}

/** The descriptions of offered tools, each as a hash; of those that the registry has. */
export function hashTools(
  offered: readonly string[],
  find: (id: string) => ToolSpec | undefined,
): RequestContent['tools'] {
  const known = offered.flatMap((id) => find(id) ?? [])
  return Object.fromEntries(
    known.map(({ id, description, parameters }) => [id, digest(canonicalJson({ id, description, parameters }))]),
  )
}

/** Under which a recorded call is found: what it asks, and from where. */
export const callKey = (site: string, content: RequestContent | { tool: string; args: unknown }): string =>
  `${digest(canonicalJson(content))} ${site}`
