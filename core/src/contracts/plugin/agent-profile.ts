import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Slug } from '../ids.ts'
import type { JsonSchema } from '../schema.ts'
import { allOptional, ByName, Count, IsoTime, Opaque, Text, Texts } from '../schema.ts'
import { Layer } from '../words.ts'

const name = Type.String({ minLength: 1, maxLength: 200, description: 'shown to people' })
const budget = Type.Object(
  {
    maxTokens: Type.Optional(Type.Integer({ minimum: 1, description: 'hard limit of this agent, in tokens' })),
    maxSteps: Type.Optional(Type.Integer({ minimum: 1, description: 'model calls in one step' })),
  },
  { additionalProperties: false },
)
const memory = Type.Object(
  { layers: Type.Array(Layer), scope: Type.Enum(['run', 'thread', 'global']) },
  { additionalProperties: false },
)
const fields = {
  role: Type.String({ description: 'what it is for; default `worker`' }),
  instructions: Type.String({ description: 'go verbatim into the system message' }),
  fallbackModels: Texts('tried in order when `model` fails'),
  tools: Texts('ids of the tools it may call; `*`, and an input that says nothing: all that the run allows'),
  budget,
  capabilities: Texts('what it is good at, matched against objectives'),
  tags: Texts('for filtering'),
  metadata: ByName(Type.Unknown(), { description: 'of yours; svc reads none of it' }),
}
const optional = {
  description: Type.Optional(Text('what it does, for people and for other agents')),
  model: Type.Optional(Text('`provider/model`')),
  temperature: Type.Optional(Type.Number({ minimum: 0, description: 'of its model calls' })),
  maxOutputTokens: Type.Optional(
    Type.Integer({ minimum: 1, description: 'longest answer of one model call, in tokens' }),
  ),
  toolPolicy: Type.Optional(
    ByName(Type.Enum(['allow', 'ask', 'deny']), { description: 'by id of a tool, what becomes of its calls' }),
  ),
  outputSchema: Type.Optional(Opaque<JsonSchema>('asks for JSON of this shape')),
}

/** A kind of agent, with everything filled in. */
export const AgentProfile = Type.Object({
  id: Slug("unique; a drop-in's is its file name"),
  name,
  ...fields,
  ...optional,
  memory,
  handoffs: Texts('slugs it may hand work to'),
  version: Count('counts changes'),
  createdAt: IsoTime('when it was made'),
  updatedAt: IsoTime('when it was changed'),
  source: Type.Optional(
    Type.Enum(['config', 'store'], {
      description:
        'of a profile that is listed: `config` where it stands in the config or a file, `store` where it was saved at run time',
    }),
  ),
})
export type AgentProfile = Static<typeof AgentProfile>

/** A kind of agent as a person writes it: only `name` is needed. */
export const AgentInput = Type.Object(
  {
    id: Type.Optional(Slug('made from the name when left out')),
    name,
    ...allOptional(fields),
    ...optional,
  },
  { additionalProperties: false },
)
export type AgentInput = Static<typeof AgentInput>
