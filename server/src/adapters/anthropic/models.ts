import type { IncomingMessage } from 'node:http'
import { NotFoundError, type RuntimeInfo } from '@svc/core'
import * as Type from 'typebox'
import { type Answer, ok } from '../../http/answer.ts'

/** A model as clients of Anthropic list it. */
export interface AnthropicModel {
  type: 'model'
  id: string
  display_name: string
  created_at: string
  lifecycle: 'active'
  max_input_tokens: number | null
  max_tokens: number | null
  capabilities: null
  line: null
  deprecated_at: null
  retires_at: null
}

/** When nobody knows since when a model is there. */
const UNKNOWN_TIME = '1970-01-01T00:00:00Z'

const toModel = (id: string, display_name: string, context?: number, maxOutput?: number): AnthropicModel => ({
  type: 'model',
  id,
  display_name,
  created_at: UNKNOWN_TIME,
  lifecycle: 'active',
  max_input_tokens: context ?? null,
  max_tokens: maxOutput ?? null,
  capabilities: null,
  line: null,
  deprecated_at: null,
  retires_at: null,
})

/** The default of the config as `svc`, then the models of the providers that answer, as `provider/model`. */
export function toAnthropicModels({
  providers,
  defaultModel,
}: Pick<RuntimeInfo, 'providers' | 'defaultModel'>): AnthropicModel[] {
  const all = providers.flatMap((provider) =>
    provider.models.map(({ id, context, maxOutput }) => {
      const name = `${provider.id}/${id}`
      return toModel(name, name, context, maxOutput)
    }),
  )
  const known = all.find(({ id }) => id === defaultModel)
  const svc = toModel(
    'svc',
    `svc (${defaultModel})`,
    known?.max_input_tokens ?? undefined,
    known?.max_tokens ?? undefined,
  )
  return [svc, ...all]
}

/** Which models of the list a client asks for. */
export const ModelsQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'default: all' })),
  after_id: Type.Optional(Type.String({ description: 'only those behind this one' })),
  before_id: Type.Optional(Type.String({ description: 'only those before this one' })),
  beta: Type.Optional(Type.String()),
}

/** Whether a request for models comes from a client of Anthropic: each says so. */
export const isOfAnthropic = ({ headers }: IncomingMessage): boolean => headers['anthropic-version'] !== undefined

/** A page of the models, as `GET /v1/models` answers a client of Anthropic. */
export function answerModels(
  info: RuntimeInfo,
  { limit, after_id, before_id }: { limit?: number; after_id?: string; before_id?: string },
): Answer {
  const models = toAnthropicModels(info)
  const placeOf = (id: string | undefined): number => models.findIndex((model) => model.id === id)
  const before = placeOf(before_id)
  const rest = models.slice(placeOf(after_id) + 1, before === -1 ? undefined : before)
  const data = rest.slice(0, limit)
  return ok({
    data,
    has_more: data.length < rest.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  })
}

/** One model. @throws NotFoundError `model_not_found` */
export function answerModel(info: RuntimeInfo, id: string): Answer {
  const found = toAnthropicModels(info).find((model) => model.id === id)
  if (found !== undefined) return ok(found)
  throw new NotFoundError('model_not_found', `there is no model ${JSON.stringify(id.slice(0, 300))}`)
}
