import * as Type from 'typebox'
import { ok } from '../../http/answer.ts'
import { Model, toModels } from '../../routes/models.ts'
import { type Route, type RouteRequest, route } from '../../routes/route.ts'
import { answerModel, isOfAnthropic } from '../anthropic/models.ts'
import { noModel } from '../shared/begin-once.ts'
import { openAiProblem } from './problem.ts'

const shared = {
  method: 'GET',
  summary: "One model, in OpenAI's shape: `svc`, or `provider/model`.",
  adapter: 'openai',
  problem: openAiProblem,
  answers: { 200: Model },
  errors: ['model_not_found'],
} as const

const Name = Type.String({ minLength: 1, maxLength: 500 })

/** A name may have a slash, which clients of OpenAI encode and others do not. */
export const modelRoutes: readonly Route[] = [
  route({
    ...shared,
    path: '/v1/models/{id}',
    params: Type.Object({ id: Name }),
    handle: (request) => findModel(request, request.params.id),
  }),
  route({
    ...shared,
    path: '/v1/models/{provider}/{model}',
    params: Type.Object({ provider: Name, model: Name }),
    handle: (request) => findModel(request, `${request.params.provider}/${request.params.model}`),
  }),
]

async function findModel({ context, message: asked }: Pick<RouteRequest, 'context' | 'message'>, id: string) {
  const info = await context.runtime.describe()
  if (isOfAnthropic(asked)) return answerModel(info, id)
  const model = toModels(info).find((known) => known.id === id)
  if (model !== undefined) return ok(model)
  throw noModel(`there is no model "${id.slice(0, 200)}"`)
}
