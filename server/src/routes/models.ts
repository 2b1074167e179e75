import * as Type from 'typebox'
import { answerModels, isOfAnthropic, ModelsQuery } from '../adapters/anthropic/models.ts'
import { ok } from '../http/answer.ts'
import { type Route, route } from './route.ts'
import { query } from './schemas.ts'

const Model = Type.Object({
  id: Type.String({ description: '`provider/model`, as `options.model` of a run takes it' }),
  object: Type.Literal('model'),
  created: Type.Integer({ description: '0: not known' }),
  owned_by: Type.String({ description: 'the provider' }),
})

export const modelsRoute: Route = route({
  method: 'GET',
  path: '/v1/models',
  summary: "The models of the providers that answer, in the shape of OpenAI's list.",
  query: query(ModelsQuery),
  answers: { 200: Type.Object({ object: Type.Literal('list'), data: Type.Array(Model) }) },
  async handle({ context, message, query }) {
    const info = await context.runtime.describe()
    if (isOfAnthropic(message)) return answerModels(info, query)
    const { providers } = info
    const data = providers.flatMap((provider) =>
      provider.models.map(({ id }) => ({
        id: `${provider.id}/${id}`,
        object: 'model',
        created: 0,
        owned_by: provider.id,
      })),
    )
    return ok({ object: 'list', data })
  },
})
