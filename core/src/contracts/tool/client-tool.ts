import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ContentPart } from '../model/message.ts'
import type { JsonSchema } from '../schema.ts'
import { Opaque, Text } from '../schema.ts'

/** A tool that who asks for a run has, and calls itself. */
export const ClientTool = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,128}$', description: 'agents know it as `client.<name>`' }),
    description: Type.Optional(Type.String({ maxLength: 20_000 })),
    parameters: Type.Optional(Opaque<JsonSchema>('JSON Schema of an object; default: one without fields')),
  },
  { additionalProperties: false },
)
export type ClientTool = Static<typeof ClientTool>

/** A call that a run waits for its client to make. */
export const ClientCall = Type.Object({
  id: Text('`call_`, the ULID of the run, `_` and 8 digits: results are handed over under it'),
  agentId: Type.String(),
  callId: Text('as the model has it'),
  tool: Text('its name, as in `clientTools`'),
  args: Type.Unknown(),
})
export type ClientCall = Static<typeof ClientCall>

/** What came of a call of the client. */
export const ClientResult = Type.Object(
  {
    id: Text('of the call'),
    content: Type.Union([Type.String(), Type.Array(ContentPart, { maxItems: 200 })]),
    isError: Type.Optional(Type.Boolean({ description: 'true: the call failed, and `content` says how' })),
  },
  { additionalProperties: false },
)
export type ClientResult = Static<typeof ClientResult>

/** What a call of a client's tool asks for. */
export type CallRequest = Pick<ClientCall, 'tool' | 'args'> & {
  /** Milliseconds since the epoch. */
  expiresAt?: number
}

const PREFIX = 'client.'

/** The id under which agents know a tool of the client. @param name as in `clientTools` */
export const clientToolId = (name: string): string => `${PREFIX}${name}`

/** The name of a tool of the client by its id; undefined for a tool of another. */
export const clientToolName = (id: string): string | undefined =>
  id.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined

const CALL = /^call_([0-9A-HJKMNP-TV-Z]{26})_[0-9a-f]{8}$/

/** Id of the run that waits for a call; undefined for what is no id of such a call. */
export function runIdOfCall(id: string): string | undefined {
  const ulid = CALL.exec(id)?.[1]
  return ulid === undefined ? undefined : `run_${ulid}`
}
