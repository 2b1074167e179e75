import type { Effort, JsonSchema, RunOptions } from '@svc/core'
import * as Type from 'typebox'
import { MODEL } from '../../shared/begin-once.ts'
import { nullable, objectOf, refuse } from '../../shared/fields.ts'

/** Where a run keeps what only responses know of it, in its metadata. */
export const KEPT = 'openai.response'

/** Fields that chat completions and responses share. */
export const sharedFields = {
  model: nullable(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: '`svc`: the default model of the config; else `provider/model`',
    }),
  ),
  stream: nullable(Type.Boolean()),
  tools: nullable(Type.Array(Type.Unknown(), { maxItems: 128 })),
  tool_choice: Type.Optional(Type.Unknown()),
  temperature: nullable(Type.Number({ minimum: 0, maximum: 2 })),
  metadata: nullable(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      maxProperties: 16,
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    }),
  ),
  user: nullable(Type.String({ maxLength: 1_000 })),
}

export const ReasoningEffort = Type.Enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])

const EFFORTS: Readonly<Record<Type.Static<typeof ReasoningEffort>, Effort>> = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
}

interface SharedBody {
  model?: string | null
  temperature?: number | null
  metadata?: Record<string, unknown> | null
  user?: string | null
}

interface Limits {
  effort: keyof typeof EFFORTS | null | undefined
  maxOutputTokens: number | null | undefined
}

/** How a run is made of what a request says. */
export function toOptions(
  { model, temperature, metadata, user }: SharedBody,
  { effort, maxOutputTokens }: Limits,
): RunOptions {
  const { [KEPT]: _, ...given } = metadata ?? {}
  const facts = { ...given, ...(user && { user }) }
  return {
    ...(model && model !== MODEL && { model }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(effort && { effort: EFFORTS[effort] }),
    ...(maxOutputTokens && { maxOutputTokens }),
    ...(Object.keys(facts).length > 0 && { metadata: facts }),
  }
}

/**
 * The shape that an answer is to have.
 *
 * @param format of `response_format`, or of `text.format`, which has the schema in itself
 * @returns undefined for plain text
 * @throws ValidationError
 */
export function readFormat(format: unknown, path: string): JsonSchema | undefined {
  if (format === undefined || format === null) return undefined
  const given = objectOf(format, path)
  if (given.type === 'text') return undefined
  if (given.type === 'json_object') return { type: 'object' }
  if (given.type !== 'json_schema') return refuse(`${path}/type`, 'must be "text", "json_object" or "json_schema"')
  const place = given.json_schema === undefined ? path : `${path}/json_schema`
  const { schema } = given.json_schema === undefined ? given : objectOf(given.json_schema, place)
  return objectOf(schema, `${place}/schema`)
}
