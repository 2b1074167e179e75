import { estimateTokens, type ModelRequest, type ToolCall, toText, type Usage } from '@svc/core'
import { estimateMedia, mediaOf } from '@svc/core/text'
import { toArgsText } from '../format/tool-calls.ts'

/** Usage of an answer whose server reported none that can be: the tokens of what was sent and written, estimated. */
export function estimateUsage(request: ModelRequest, written: string, calls: readonly ToolCall[]): Usage {
  const input = request.messages.map((message) => toText(message.content) + JSON.stringify(message.toolCalls ?? ''))
  const media = request.messages
    .flatMap(({ content }) => mediaOf(content))
    .reduce((sum, part) => sum + estimateMedia(part), 0)
  const called = calls.map((call) => call.tool + toArgsText(call.args)).join('\n')
  return {
    inputTokens: media + estimateTokens([...input, JSON.stringify(request.tools ?? '')].join('\n')),
    outputTokens: estimateTokens(written + called),
    estimated: true,
  }
}
