import type { RuntimeInfo } from '@svc/core'
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { answerModels, isOfAnthropic, ModelsQuery } from '../adapters/anthropic/models.ts'
import { inAnyShape } from '../adapters/any-shape.ts'
import { ok } from '../http/answer.ts'
import { type Route, route } from './route.ts'
import { query } from './schemas.ts'

export const Model = Type.Object({
  id: Type.String({
    description: '`svc`: the default model; else `provider/model`, as `options.model` of a run takes it',
  }),
  object: Type.Literal('model'),
  created: Type.Integer({ description: '0: not known' }),
  owned_by: Type.String({ description: 'the provider' }),
})

export const modelsRoute: Route = route({
  method: 'GET',
  path: '/v1/models',
  summary: "The models of the providers that answer, in the shape of OpenAI's list, the default one first.",
  query: query(ModelsQuery),
  problem: inAnyShape,
  answers: { 200: Type.Object({ object: Type.Literal('list'), data: Type.Array(Model) }) },
  async handle({ context, message, query }) {
    const info = await context.runtime.describe()
    if (isOfAnthropic(message)) return answerModels(info, query)
    return ok({ object: 'list', data: toModels(info) })
  },
})

/** The default model, then those of each provider. */
export function toModels({ providers }: Pick<RuntimeInfo, 'providers'>): Static<typeof Model>[] {
  const all = providers.flatMap(({ id: provider, models }) =>
    models.map(({ id }) => ({ id: `${provider}/${id}`, provider })),
  )
  return [{ id: 'svc', provider: 'svc' }, ...all].map(({ id, provider }) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: provider,
  }))
}
