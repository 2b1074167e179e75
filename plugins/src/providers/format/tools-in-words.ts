import type { Message, ToolSpec } from '@svc/core'
import { toText } from '@svc/core'
import { toFullText } from '@svc/core/text'
import type { Shape } from './shape.ts'
import type { ToolNames } from './tool-calls.ts'

/** Whether a model's tools are described to it, and called, in words. */
export const isInWords = ({ quirks, model }: Pick<Shape, 'quirks' | 'model'>): boolean =>
  quirks.textToolCalls === true && model.tools !== true

/** What tells a model without tools of its own how to call some, and which there are. */
export function describeTools(tools: readonly ToolSpec[], names: ToolNames, mustCall: boolean): string {
  const listed = tools.map(({ id, description, parameters }) =>
    JSON.stringify({ name: names.toName(id), description, parameters }),
  )
  return [
    'You have tools. To call one, write this and nothing after it:',
    '<tool_call>\n{"name": "the name of the tool", "arguments": {}}\n</tool_call>',
    'Several such blocks are several calls. What they return comes in <tool_response> tags. Text without a call is your answer.',
    ...(mustCall ? ['Call a tool now.'] : []),
    `The tools, each with the JSON Schema of its arguments:\n${listed.join('\n')}`,
  ].join('\n')
}

/** An assistant's turn that called tools, as it would have written it. */
export function toTurnInWords({ content, toolCalls = [] }: Message, names: ToolNames): string {
  const calls = toolCalls.map(
    ({ tool, args }) =>
      `<tool_call>\n${JSON.stringify({ name: names.toName(tool), arguments: args ?? {} })}\n</tool_call>`,
  )
  return [toText(content), ...calls].filter((text) => text !== '').join('\n')
}

/** What a tool returned. */
export const toResultInWords = ({ content }: Message): string =>
  `<tool_response>\n${toFullText(content)}\n</tool_response>`
