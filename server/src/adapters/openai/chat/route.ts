import * as Type from 'typebox'
import { EVENT_STREAM } from '../../../http/request/accept.ts'
import { type Route, route } from '../../../routes/route.ts'
import { START_ERRORS } from '../../../runs/start-run.ts'
import { answerInPieces, answerWhole } from '../../shared/answer-run.ts'
import { beginOnce, type FieldNames, idOf, inWordsOfClient } from '../../shared/begin-once.ts'
import { beginRun } from '../../shared/begin-run.ts'
import { openAiProblem } from '../problem.ts'
import { ChatBody, readChat } from './body.ts'
import { CompletionWriter, toCompletion } from './completion.ts'

/** Where the fields of a run come from. */
const NAMES: FieldNames = [
  [/^\/clientTools\/(\d+)/, '/tools/$1/function'],
  [/^\/clientTools/, '/tools'],
  [/^\/outputSchema/, '/response_format/json_schema/schema'],
  [/^\/maxOutputTokens/, '/max_completion_tokens'],
  [/^\/(task|turns|context|instructions)\b.*/, '/messages'],
]

export const chatRoute: Route = route({
  method: 'POST',
  path: '/v1/chat/completions',
  needs: 'submit',
  summary:
    "Answers a conversation in the shape of OpenAI's chat completions. The last message of the user is the task of a run.",
  body: ChatBody,
  adapter: 'openai',
  problem: openAiProblem,
  isConversation: true,
  isKeyed: true,
  isNewWork: true,
  media: ['application/json', EVENT_STREAM],
  answers: { 200: Type.Unsafe({ type: 'object' }) },
  errors: START_ERRORS,
  async handle(request) {
    const asked = readChat(request.body)
    const { conversation, options, model, isStream, isJson, isUsageAsked } = asked
    if (isStream) request.context.streams.assertRoom(request.holder)
    const begin = () => beginRun(request, conversation, options, isStream && !isJson)
    return beginOnce(
      request,
      () => inWordsOfClient(begin, model, NAMES),
      (begun) => {
        const created = Math.floor(Date.parse(begun.run.createdAt) / 1_000)
        const head = { id: idOf('chatcmpl', begun), created, model }
        if (!isStream) return answerWhole(request, asked, begun, (outcome) => toCompletion(head, outcome))
        const createWriter = (send: (text: string) => void) => new CompletionWriter(send, head, isUsageAsked)
        return answerInPieces(request, asked, begun, { createWriter, onDisconnect: 'cancel' })
      },
    )
  },
})
