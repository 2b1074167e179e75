import type { ClientTool, Effort, RunCreate } from '@svc/core'
import type { RouteRequest } from '../../routes/route.ts'
import { MODEL, noModel } from '../shared/begin-once.ts'
import { type BegunRun, beginRun, resumeFor } from '../shared/begin-run.ts'
import { toForcedInstructions, toForcedSchema } from '../shared/forced-tools.ts'
import { resultsOf, toClientMessages, toConversation } from './messages.ts'
import type { MessagesBody } from './schemas.ts'
import { findThread, heldOf, holdThread, unheld } from './threads.ts'
import { type ReadTools, readTools } from './tools.ts'

export type MessagesRequest = RouteRequest<unknown, unknown, MessagesBody>

/**
 * Begins the run that a request asks for, or goes on with the one that waits for its results.
 *
 * @throws ValidationError that names the field; NotFoundError `model_not_found`, `thread_not_found`
 */
export async function beginAnswer(request: MessagesRequest): Promise<BegunRun> {
  const { body } = request
  const continued = body.thread?.type === 'continue' ? body.thread.previous_message_id : undefined
  const said = toClientMessages(body.messages)
  if (continued !== undefined) {
    const results = resultsOf(said)
    const resumed = await resumeFor(request, { results })
    if (resumed !== undefined) return resumed
    if (results.length > 0) throw unheld(continued)
  }
  const held = continued === undefined ? undefined : await findThread(request, continued)
  const { system, tools } = held ?? body
  const { clientTools, forced } = readTools(tools, body.tool_choice)
  const read = toConversation([...toClientMessages([], system), ...said], clientTools)
  // A run that waits was not asked for a call as its answer.
  const conversation = forced.length > 0 ? { ...read, results: [] } : read
  const isWhole = conversation.turns.length === 0 && conversation.called.length === 0
  if (continued !== undefined && !isWhole) throw unheld(continued)
  const options = toOptions(body, forced)
  const threadId = held?.threadId ?? (body.thread && isWhole ? await holdThread(request, body) : undefined)
  const instructions = [...conversation.instructions, ...(forced.length > 0 ? [toForcedInstructions(forced)] : [])]
  return beginRun(
    request,
    { ...conversation, instructions },
    { ...options, ...(threadId !== undefined && { threadId }) },
    body.stream === true && forced.length === 0 && !isStructured(body),
  )
}

/** The tools of which the answer of a run has to be a call. One that went on with results was not asked for one. */
export async function forcedOf(
  { context, body }: MessagesRequest,
  { run: { threadId }, after }: Pick<BegunRun, 'run' | 'after'>,
): Promise<readonly ClientTool[]> {
  if (after > 0 || !asksForCall(body)) return []
  const held = body.thread?.type === 'continue' && threadId !== undefined ? await heldOf(context, threadId) : body
  return readTools(held?.tools, body.tool_choice).forced
}

const asksForCall = ({ tool_choice }: MessagesBody): boolean =>
  tool_choice?.type === 'any' || tool_choice?.type === 'tool'

function toOptions(body: MessagesBody, forced: ReadTools['forced']): Partial<RunCreate> {
  const { model, max_tokens, temperature, output_config, output_format, metadata } = body
  if (model !== MODEL && !model.includes('/')) throw noModel(`there is no model ${JSON.stringify(model)} here`)
  const format = output_config?.format ?? output_format
  const schema = forced.length > 0 ? toForcedSchema(forced) : (format?.schema as RunCreate['outputSchema'])
  const effort = toEffort(output_config?.effort)
  return {
    ...(model !== MODEL && { model }),
    maxOutputTokens: max_tokens,
    // The protocol has no question to a person: what needs one is denied, and the answer says so.
    approval: 'deny',
    ...(temperature !== undefined && { temperature }),
    ...(schema !== undefined && { outputSchema: schema }),
    ...(effort !== undefined && { effort }),
    ...(typeof metadata?.user_id === 'string' && { metadata: { user_id: metadata.user_id } }),
  }
}

const toEffort = (effort: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null | undefined): Effort | undefined =>
  effort === 'xhigh' || effort === 'max' ? 'high' : (effort ?? undefined)

/** Whether the answer of a request is JSON of a schema. */
export const isStructured = ({ output_config, output_format }: MessagesBody): boolean =>
  (output_config?.format ?? output_format ?? undefined) !== undefined
