import * as Type from 'typebox'
import { ok } from '../../http/answer.ts'
import { EVENT_STREAM } from '../../http/request/accept.ts'
import { stateOf } from '../../http/request/request-state.ts'
import { type Route, route } from '../../routes/route.ts'
import { query } from '../../routes/schemas.ts'
import { START_ERRORS } from '../../runs/start-run.ts'
import { answerMessages } from './answer.ts'
import type { MessagesRequest } from './begin.ts'
import { countTokens } from './count-tokens.ts'
import { anthropicProblem } from './problem.ts'
import { CountTokens200, CountTokensBody, Message200, MessagesBody } from './schemas.ts'

/** Clients add it for what is in test at Anthropic; svc answers alike. */
const beta = query({ beta: Type.Optional(Type.String()) })
const ofAnthropic = { adapter: 'anthropic', problem: anthropicProblem, isConversation: true, query: beta } as const

/** The Messages API of Anthropic. */
export const anthropicRoutes: readonly Route[] = [
  route({
    ...ofAnthropic,
    method: 'POST',
    path: '/v1/messages',
    needs: 'submit',
    summary: "Answers a conversation, as Anthropic's Messages API.",
    body: MessagesBody,
    isKeyed: true,
    isNewWork: true,
    media: ['application/json', EVENT_STREAM],
    answers: { 200: Message200 },
    errors: [...START_ERRORS, 'version_conflict', 'invalid_transition'],
    handle: (request) => answerMessages(request as unknown as MessagesRequest),
  }),
  route({
    ...ofAnthropic,
    method: 'POST',
    path: '/v1/messages/count_tokens',
    needs: 'submit',
    summary: 'Estimates the tokens of a conversation with its tools.',
    body: CountTokensBody,
    answers: { 200: CountTokens200 },
    handle({ body, response }) {
      response.setHeader('request-id', stateOf(response).requestId)
      return ok({ input_tokens: countTokens(body as CountTokensBody) })
    },
  }),
]
