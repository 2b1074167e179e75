import {
  type ErrorInfo,
  type Message,
  type RunContext,
  type ToolAnswer,
  type ToolCall,
  type ToolInfo,
  textMessage,
} from '../../contracts/index.ts'
import { type Handoff, READ_RESULT } from './handoff.ts'

/** Where tool calls are made from. */
export interface ToolPlace {
  run: RunContext
  agentId: string
  stepId: string
  /** The tools of the step. */
  tools: readonly ToolInfo[]
  /** The results that the step was handed: what was cut can be read on. */
  handoff?: Handoff | undefined
  /** Hears of every call that wrote something. */
  onWritten?: ((call: ToolCall) => void) | undefined
  /** Hears how every call of a tool that is there went. */
  onTried?: ((tool: string, error: ErrorInfo | undefined) => void) | undefined
  /** Names one call of the turn; unique in the run. */
  keyOf: (index: number) => string
}

/**
 * Makes the calls that a model asked for, and answers each with a tool message, in the order of the calls.
 * Neighbouring calls that only read run at once; every other call waits for those before it.
 */
export async function callTools(calls: readonly ToolCall[], place: ToolPlace): Promise<Message[]> {
  const messages: Message[] = []
  let index = 0
  while (index < calls.length) {
    let end = index + 1
    if (isReading(calls[index], place)) while (end < calls.length && isReading(calls[end], place)) end++
    const offset = index
    messages.push(
      ...(await Promise.all(calls.slice(index, end).map((call, position) => callTool(call, offset + position, place)))),
    )
    index = end
  }
  return messages
}

const isReading = (call: ToolCall | undefined, { tools }: ToolPlace): boolean => {
  const tool = tools.find(({ id }) => id === call?.tool)
  return tool === undefined || tool.risk === 'read'
}

async function callTool(call: ToolCall, index: number, place: ToolPlace): Promise<Message> {
  const { run, agentId, stepId, tools } = place
  const at = { agentId, stepId, callId: call.callId }
  if (call.tool === READ_RESULT && place.handoff?.tool !== undefined) {
    run.emit('tool.requested', { tool: call.tool, args: call.args }, at)
    const result = place.handoff.read(call)
    run.emit(
      'tool.completed',
      { tool: call.tool, result, bytes: result.length, truncated: false, durationMs: 0, trust: 'trusted' },
      at,
    )
    return toolMessage(call, result)
  }
  const tool = tools.find(({ id }) => id === call.tool)
  // The door refuses what the run does not know; what the run allows but this step does not is refused here.
  if (tool === undefined && run.tools.some(({ id }) => id === call.tool)) {
    const reason = `the step ${stepId} may not call it`
    run.emit('tool.requested', { tool: call.tool, args: call.args }, at)
    run.emit('tool.denied', { rule: 'step_tools', reason }, at)
    return toolMessage(call, `Error policy_denied: ${reason}. ${offer(tools)}`)
  }
  const answer = await run.tool({ ...call, key: place.keyOf(index), agentId, stepId })
  if (tool !== undefined) place.onTried?.(tool.id, answer.ok ? undefined : answer.error)
  if (answer.ok && tool?.risk === 'write') place.onWritten?.(call)
  return { role: 'tool', toolCallId: call.callId, content: answer.ok ? answer.content : explain(call, answer, tools) }
}

const toolMessage = (call: ToolCall, text: string): Message => ({
  ...textMessage('tool', text),
  toolCallId: call.callId,
})

const offer = (tools: readonly ToolInfo[]): string =>
  tools.length === 0 ? 'There are no tools here.' : `Tools here: ${tools.map(({ id }) => id).join(', ')}.`

/** What the model needs to know to do better. */
function explain(call: ToolCall, { error, content }: ToolAnswer, tools: readonly ToolInfo[]): Message['content'] {
  const tool = tools.find(({ id }) => id === call.tool)
  const lines = [`Error ${error?.code ?? 'tool_failed'}: ${error?.message ?? 'the tool failed'}`]
  if (tool === undefined) lines.push(`There is no tool "${call.tool}" here. ${offer(tools)}`)
  else if (error?.code === 'tool_bad_args' || typeof call.args === 'string') {
    if (typeof call.args === 'string') lines.push('The arguments were not valid JSON.')
    lines.push(`The arguments have to fit this JSON Schema: ${JSON.stringify(tool.parameters).slice(0, 4_000)}`)
  }
  // A refusal's content says the error once more.
  const repeated = `${error?.code}: ${error?.message}`
  const rest = content.filter((part) => part.type !== 'text' || part.text !== repeated)
  return [{ type: 'text', text: lines.join('\n') }, ...rest]
}
