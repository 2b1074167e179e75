import { type Effort, NotFoundError, type RunCreate } from '@svc/core'
import type { RouteRequest } from '../../routes/route.ts'
import { type BegunRun, beginRun, resumeFor } from '../shared/begin-run.ts'
import { resultsOf, toClientMessages, toConversation } from './messages.ts'
import type { MessagesBody } from './schemas.ts'
import { findThread, holdThread, unheld } from './threads.ts'
import { type ReadTools, readTools, toForcedInstructions, toForcedSchema } from './tools.ts'

export type MessagesRequest = RouteRequest<unknown, unknown, MessagesBody>

/** A run that answers a request, and the tools of which its answer has to be a call. */
export type BegunAnswer = BegunRun & Pick<ReadTools, 'forced'>

/**
 * Begins the run that a request asks for, or goes on with the one that waits for its results.
 *
 * @throws ValidationError that names the field; NotFoundError `model_not_found`, `thread_not_found`
 */
export async function beginAnswer(request: MessagesRequest): Promise<BegunAnswer> {
  const { body } = request
  const continued = body.thread?.type === 'continue' ? body.thread.previous_message_id : undefined
  const said = toClientMessages(body.messages)
  if (continued !== undefined) {
    const results = resultsOf(said)
    const resumed = await resumeFor(request, { results })
    if (resumed !== undefined) return { ...resumed, forced: [] }
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
  const begun = await beginRun(
    request,
    { ...conversation, instructions },
    { ...options, ...(threadId !== undefined && { threadId }) },
    body.stream === true && forced.length === 0 && !isStructured(body),
  )
  return { ...begun, forced }
}

/** The name of the default of the config. */
const SVC = 'svc'

function toOptions(body: MessagesBody, forced: ReadTools['forced']): Partial<RunCreate> {
  const { model, max_tokens, temperature, output_config, output_format, metadata } = body
  if (model !== SVC && !model.includes('/')) {
    const name = JSON.stringify(model)
    throw new NotFoundError(
      'model_not_found',
      `there is no model ${name} here: GET /v1/models lists those that there are`,
    )
  }
  const format = output_config?.format ?? output_format
  const schema = forced.length > 0 ? toForcedSchema(forced) : (format?.schema as RunCreate['outputSchema'])
  const effort = toEffort(output_config?.effort)
  return {
    ...(model !== SVC && { model }),
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
