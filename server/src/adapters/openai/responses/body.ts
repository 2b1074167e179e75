import type { RunCreate } from '@svc/core'
import * as Type from 'typebox'
import { MODEL } from '../../shared/begin-once.ts'
import type { ClientMessage } from '../../shared/conversation.ts'
import { nullable, objectOf, refuse } from '../../shared/fields.ts'
import type { Shape } from '../../shared/outcome.ts'
import { ReasoningEffort, readFormat, sharedFields, toOptions } from '../asked/options.ts'
import { type AskedTools, readTools } from '../asked/tools.ts'
import { type ApprovalAnswer, readInput } from './items.ts'

/** What is not named here is ignored, but for what would change the answer and cannot be done. */
export const ResponseBody = Type.Object({
  ...sharedFields,
  input: Type.Optional(
    Type.Unknown({
      description:
        'a text, or items: message, function_call, function_call_output, mcp_approval_response; images and files as data: URLs',
    }),
  ),
  instructions: nullable(Type.String({ maxLength: 200_000 })),
  previous_response_id: nullable(Type.String({ maxLength: 200, description: 'the conversation goes on from there' })),
  store: nullable(Type.Boolean({ description: 'default true; false: the response cannot be asked for afterwards' })),
  background: nullable(Type.Boolean({ description: 'true: answered at once, to be asked for later' })),
  text: nullable(Type.Object({ format: Type.Optional(Type.Unknown()) })),
  max_output_tokens: nullable(Type.Integer({ minimum: 1 })),
  reasoning: nullable(Type.Object({ effort: nullable(ReasoningEffort) })),
})
export type ResponseBody = Type.Static<typeof ResponseBody>

/** What is kept of a response that may be asked for later. */
export const Kept = Type.Object({
  previous: Type.Optional(Type.String()),
  isBackground: Type.Optional(Type.Boolean()),
  forced: Type.Optional(Type.String()),
  system: Type.Optional(
    Type.String({ description: 'what messages of the system in the input said: it holds for what goes on from there' }),
  ),
})
export type Kept = Type.Static<typeof Kept>

/** What a request for a response asks for. */
export interface ResponseAsked extends Shape {
  model: string
  isStream: boolean
  isBackground: boolean
  isStored: boolean
  /** Calls that need approval are shown to the client, which answers with its next request. */
  asksApproval: boolean
  previous: string | undefined
  messages: ClientMessage[]
  approvals: ApprovalAnswer[]
  instructions: string | undefined
  tools: AskedTools['clientTools']
  options: Partial<RunCreate>
}

/** @throws ValidationError for what cannot be done */
export function readResponse(body: ResponseBody): ResponseAsked {
  refuseUnknown(body as Record<string, unknown>)
  const { model, tools, previous_response_id, instructions, store, background } = body
  const own = (tools ?? []).map((tool, index) => isOwnServer(tool, `/tools/${index}`))
  const isChoiceOfServer = (body.tool_choice as { type?: unknown } | null | undefined)?.type === 'mcp'
  const choice = isChoiceOfServer ? undefined : body.tool_choice
  const { clientTools, forced, schema, ...more } = readTools(
    (tools ?? []).map((tool, index) => (own[index] === undefined ? tool : undefined)),
    choice,
  )
  const format = schema ?? readFormat(body.text?.format, '/text/format')
  const asksApproval = own.includes(true)
  const isStored = store !== false
  if (background === true && !isStored) refuse('/background', 'needs "store": true')
  return {
    ...readInput(body.input),
    model: model ?? MODEL,
    isStream: body.stream === true,
    isBackground: background === true,
    isStored,
    asksApproval,
    previous: previous_response_id ?? undefined,
    forced,
    isJson: format !== undefined,
    stops: [],
    instructions: [instructions ?? '', more.instructions ?? ''].filter((text) => text !== '').join('\n\n') || undefined,
    tools: clientTools,
    options: {
      ...toOptions(body, { effort: body.reasoning?.effort, maxOutputTokens: body.max_output_tokens }),
      ...(format && { outputSchema: format }),
      ...(asksApproval && { approval: 'wait' as const }),
    },
  }
}

/**
 * Whether a tool stands for svc's own ones, whose approvals the client then answers: `{ type: 'mcp', server_label: 'svc' }`,
 * unless it says that none is asked for.
 *
 * @returns undefined for another tool
 * @throws ValidationError for another server: svc uses those of its config
 */
function isOwnServer(tool: unknown, path: string): boolean | undefined {
  const { type, server_label, require_approval } = objectOf(tool, path)
  if (type !== 'mcp') return undefined
  if (server_label === MODEL) return require_approval !== 'never'
  return refuse(`${path}/server_label`, `must be "${MODEL}", its own tools: other servers are named by its config`)
}

function refuseUnknown({ conversation, prompt }: Record<string, unknown>): void {
  const isGiven = (value: unknown): boolean => value !== undefined && value !== null
  if (isGiven(conversation)) refuse('/conversation', 'is not supported: use previous_response_id')
  if (isGiven(prompt)) refuse('/prompt', 'is not supported: use instructions and input')
}
