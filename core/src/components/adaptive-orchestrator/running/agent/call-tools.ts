import {
  type Message,
  type ModelAnswer,
  type RunContext,
  type ToolAnswer,
  type ToolCall,
  type ToolInfo,
  textMessage,
} from '../../../../contracts/index.ts'
import { ToolError } from '../../../../errors.ts'
import type { ExecutionContext } from '../state/execution-context.ts'
import type { StepState } from '../state/step-state.ts'
import { DELEGATE, type DelegateArgs, delegate } from './delegate.ts'
import type { EarlierEffects } from './earlier-effects.ts'
import type { StepInput } from './step-input.ts'

/**
 * Makes the calls that a model asked for, and answers each with a tool message, in the order of the calls.
 * Neighbouring calls that only read run at once; every other call waits for those before it.
 *
 * @param key starts the key of every call; unique in the run
 */
export async function callTools(
  context: ExecutionContext,
  state: StepState,
  input: StepInput,
  answer: ModelAnswer,
  key: string,
  earlier: EarlierEffects,
): Promise<Message[]> {
  const calls = answer.toolCalls
  const messages: Message[] = []
  let index = 0
  while (index < calls.length) {
    const together: Promise<Message>[] = []
    do {
      const call = calls[index] as ToolCall
      together.push(callTool(context, state, input, call, isCut(call, answer), `${key}.${++index}`, earlier))
    } while (index < calls.length && isReading(calls[index - 1], input) && isReading(calls[index], input))
    for (const message of await Promise.all(together)) messages.push(message)
  }
  return messages
}

/** The first call whose arguments the model could not write to their end: the output limit came in between. */
export const findCutCall = (answer: ModelAnswer): ToolCall | undefined =>
  answer.toolCalls.find((call) => isCut(call, answer))

const isCut = ({ args }: ToolCall, { finishReason }: ModelAnswer): boolean =>
  finishReason === 'length' && typeof args === 'string'

/** Says that a call was cut, and where. */
export const cutError = ({ tool, args }: ToolCall, more = ''): ToolError =>
  new ToolError(
    'tool_bad_args',
    `the answer reached the output limit within the arguments of ${tool}, after ${String(args).length} characters of them${more}; the call was not made`,
  )

const isReading = (call: ToolCall | undefined, { tools }: StepInput): boolean => {
  const tool = tools.find(({ id }) => id === call?.tool)
  return tool === undefined || tool.risk === 'read'
}

async function callTool(
  context: ExecutionContext,
  state: StepState,
  { tools, own: ownTools }: StepInput,
  call: ToolCall,
  isCut: boolean,
  key: string,
  earlier: EarlierEffects,
): Promise<Message> {
  const { run } = context
  const { agentId, step } = state
  const at = { agentId, stepId: step.id, callId: call.callId }

  if (isCut) {
    const error = cutError(call).toInfo()
    run.emit('tool.requested', { tool: call.tool, args: call.args }, at)
    run.emit('tool.failed', { tool: call.tool, error }, at)
    return toolMessage(call, `Error ${error.code}: ${error.message}. Make it again with less: one part at a time.`)
  }
  const own = ownTools.find(({ id }) => id === call.tool)
  const tool = own ?? tools.find(({ id }) => id === call.tool)
  // The gateway refuses what the run does not know; what the run allows but this step does not is refused here.
  if (tool === undefined && run.tools.some(({ id }) => id === call.tool)) {
    const reason = `the step ${step.id} may not call it`
    run.emit('tool.requested', { tool: call.tool, args: call.args }, at)
    run.emit('tool.denied', { tool: call.tool, rule: 'step_tools', reason, by: 'rule' }, at)
    return toolMessage(call, `Error policy_denied: ${reason}. ${offer(tools)}`)
  }
  const done = tool === undefined ? undefined : earlier.find(call, tool.risk, agentId)
  if (tool !== undefined && done !== undefined) {
    const { result = '', truncated, trust, tainted } = done
    run.emit('tool.requested', { tool: tool.id, args: call.args, risk: tool.risk }, at)
    const bytes = Buffer.byteLength(result)
    const data = { tool: tool.id, result, bytes, truncated, durationMs: 0, trust, ...(tainted && { tainted }) }
    run.emit('tool.completed', data, at)
    return toolMessage(call, `${result}\n[not done again: an earlier try did it, with this result]`)
  }
  const { callId, args } = call
  const request: Parameters<RunContext['tool']>[0] = { callId, tool: call.tool, args, key, agentId, stepId: step.id }
  if (own !== undefined) request.own = own
  // Numbered before anything is waited for, so that a recovery gives equal names to equal work.
  const workId = call.tool === DELEGATE ? `${step.id}.${++state.delegations}` : ''
  const answer = await run.tool(request)
  if (own?.id === DELEGATE && answer.ok)
    return toolMessage(call, await delegate(context, state, workId, (answer.args ?? args) as DelegateArgs))
  note(context, state, call, tool, answer)
  return { role: 'tool', toolCallId: callId, content: toContent(call, answer, tool, tools) }
}

/** What a person said of a call, or nobody was there to say. */
const REFUSALS: ReadonlySet<string> = new Set(['approval_denied', 'approval_expired', 'approval_required'])

/** Failures of a tool that are neither the model's mistake nor a refusal. */
const BREAKDOWNS: ReadonlySet<string> = new Set(['tool_failed', 'tool_timeout', 'tool_output_too_large'])

/** What a call means for the step: files written, tools that failed, refusals. */
function note(
  { artifacts }: ExecutionContext,
  state: StepState,
  call: ToolCall,
  tool: Pick<ToolInfo, 'id' | 'risk'> | undefined,
  { ok, error, args = call.args, files = [] }: ToolAnswer,
): void {
  if (error !== undefined && REFUSALS.has(error.code)) state.refused = true
  if (tool === undefined) return
  if (ok) {
    state.failedTools.delete(tool.id)
    if (tool.risk === 'write') artifacts.note(state.step.id, { args, files })
  } else if (error !== undefined && BREAKDOWNS.has(error.code)) state.failedTools.set(tool.id, error.message)
}

const toolMessage = (call: ToolCall, text: string): Message => ({
  ...textMessage('tool', text),
  toolCallId: call.callId,
})

const offer = (tools: readonly ToolInfo[]): string =>
  tools.length === 0 ? 'There are no tools here.' : `Tools here: ${tools.map(({ id }) => id).join(', ')}.`

/** A result as the model reads it: whole, announced as truncated, or with what it needs to know to do better. */
function toContent(
  call: ToolCall,
  answer: ToolAnswer,
  tool: Pick<ToolInfo, 'parameters'> | undefined,
  tools: readonly ToolInfo[],
): Message['content'] {
  if (!answer.ok) return explain(call, answer, tool, tools)
  if (!answer.truncated) return answer.content
  const text = `[truncated: the whole result has ${answer.bytes} bytes; ask for a smaller part to read the rest]`
  return [...answer.content, { type: 'text', text }]
}

function explain(
  call: ToolCall,
  { error, content }: ToolAnswer,
  tool: Pick<ToolInfo, 'parameters'> | undefined,
  tools: readonly ToolInfo[],
): Message['content'] {
  const lines = [`Error ${error?.code ?? 'tool_failed'}: ${error?.message ?? 'the tool failed'}`]
  if (tool === undefined) lines.push(`There is no tool "${call.tool}" here. ${offer(tools)}`)
  else if (error !== undefined && (REFUSALS.has(error.code) || error.code === 'policy_denied')) {
    lines.push('Do not make this call again. Go on without it, and say in your answer that it was not done.')
  } else if (error?.code === 'tool_bad_args' || typeof call.args === 'string') {
    if (typeof call.args === 'string') lines.push('The arguments were not valid JSON.')
    lines.push(`The arguments have to fit this JSON Schema: ${JSON.stringify(tool.parameters).slice(0, 4_000)}`)
  }
  // A refusal's content says the error once more.
  const repeated = `${error?.code}: ${error?.message}`
  const rest = content.filter((part) => part.type !== 'text' || part.text !== repeated)
  return [{ type: 'text', text: lines.join('\n') }, ...rest]
}
