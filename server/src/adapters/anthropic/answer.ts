import type { Answer } from '../../http/answer.ts'
import { stateOf } from '../../http/request/request-state.ts'
import { answerInPieces, answerWhole } from '../shared/answer-run.ts'
import { beginOnce, type FieldNames, idOf, inWordsOfClient } from '../shared/begin-once.ts'
import { beginAnswer, forcedOf, isStructured, type MessagesRequest } from './begin.ts'
import { blocksOf, stopOf, toMessage, toUsage } from './message.ts'
import { MessageStream } from './message-stream.ts'

/** Where the fields of a run come from. */
const NAMES: FieldNames = [
  [/^\/clientTools\/(\d+)\/parameters/, '/tools/$1/input_schema'],
  [/^\/clientTools/, '/tools'],
  [/^\/outputSchema/, '/output_config/format/schema'],
  [/^\/maxOutputTokens/, '/max_tokens'],
  [/^\/instructions/, '/system'],
  [/^\/(task|turns|context)\b.*/, '/messages'],
]

/** Answers `POST /v1/messages`: with the message, or with its events as it is said. */
export async function answerMessages(request: MessagesRequest): Promise<Answer> {
  const { body, context, response, holder } = request
  response.setHeader('request-id', stateOf(response).requestId)
  if (body.stream) context.streams.assertRoom(holder)
  const begin = () => inWordsOfClient(() => beginAnswer(request), body.model, NAMES)
  return beginOnce(request, begin, async (begun) => {
    const forced = (await forcedOf(request, begun)).map(({ name }) => name)
    const isJson = forced.length > 0 || isStructured(body)
    const shape = {
      forced,
      isJson,
      asksApproval: false,
      stops: body.stop_sequences?.filter((text) => text !== '') ?? [],
    }
    const isSerial = body.tool_choice?.disable_parallel_tool_use === true
    const id = idOf('msg', begun)
    if (body.stream) {
      const head = { id, model: body.model, runId: begun.run.id }
      const createWriter = (send: (text: string) => void) => new MessageStream(send, head, isSerial)
      return answerInPieces(request, shape, begun, { createWriter, onDisconnect: 'cancel' })
    }
    return answerWhole(request, shape, begun, (outcome) => {
      const content = blocksOf(outcome, isSerial)
      return { ...toMessage(id, body.model, content, stopOf(outcome), toUsage(outcome.usage)), svc: outcome.facts }
    })
  })
}
