import { CancelledError } from '@svc/core'
import type { Answer } from '../../http/answer.ts'
import { stateOf } from '../../http/request/request-state.ts'
import { noteProblem } from '../../http/send.ts'
import { followAnswer } from '../shared/follow-answer.ts'
import { openStream } from '../shared/open-stream.ts'
import { type BegunAnswer, beginAnswer, isStructured, type MessagesRequest } from './begin.ts'
import { type Ending, endingOf } from './ending.ts'
import { messageIdOf, textBlock, toMessage } from './message.ts'
import { MessageStream } from './message-stream.ts'
import { toAnthropicError } from './problem.ts'
import { StopSequences } from './stop-sequences.ts'

/** Answers `POST /v1/messages`: with the message, or with its events as it is said. */
export async function answerMessages(request: MessagesRequest): Promise<Answer> {
  const { body, context, response, holder } = request
  response.setHeader('request-id', stateOf(response).requestId)
  if (body.stream) context.streams.assertRoom(holder)
  const begun = await beginAnswer(request)
  const { headers } = begun
  if (body.stream) return { status: 200, headers, write: () => streamAnswer(request, begun) }
  let text = ''
  const { blocks, stop, usage, svc } = await follow(request, begun, leavingOf(request), {
    onText: (piece) => {
      text += piece
    },
  })
  const content = text === '' ? blocks : [textBlock(text), ...blocks]
  return { status: 200, headers, body: { ...toMessage(idOf(begun), body.model, content, stop, usage), svc } }
}

const idOf = ({ run, after }: BegunAnswer): string => messageIdOf(run, after)

async function streamAnswer(request: MessagesRequest, begun: BegunAnswer): Promise<void> {
  const { body, context, response, caller } = request
  const stream = openStream(request)
  const message = new MessageStream((text) => stream.send(text))
  message.begin(idOf(begun), body.model, { run_id: begun.run.id })
  try {
    const { blocks, stop, usage, svc } = await follow(request, begun, stream.signal, {
      onText: (piece) => message.text(piece),
      onBreak: () => message.endText(),
    })
    for (const block of blocks) message.block(block)
    message.end(stop, usage, svc)
  } catch (thrown) {
    if (!stream.signal.aborted) message.fail(toAnthropicError(noteProblem(thrown, response)))
    // A reader who was cut does not come back: there is nothing to go on from.
    else if (stateOf(response).wasCut && !context.isDraining)
      await context.runtime.runs.cancel(begun.run.id, 'the client was cut off', caller.name)
  }
  stream.end()
}

/** Aborted once the client has left. */
function leavingOf({ response }: MessagesRequest): AbortSignal {
  const left = new AbortController()
  response.once('close', () => left.abort(new CancelledError('cancelled', 'the client has left')))
  return left.signal
}

interface Reader {
  onText(piece: string): void
  /** What was read does not stand. Absent: nothing is read before it stands. */
  onBreak?(): void
}

/** Follows the run of an answer to its end, and hands on its text. Where the client leaves, the run is cancelled. */
async function follow(
  request: MessagesRequest,
  { run, after, forced }: BegunAnswer,
  signal: AbortSignal,
  { onText, onBreak }: Reader,
): Promise<Ending> {
  const { body, context, response, caller } = request
  const { stop_sequences = [], tool_choice } = body
  const isFormed = forced.length > 0 || isStructured(body)
  const stops = new StopSequences(stop_sequences, onText)
  const reads = onBreak !== undefined && !isFormed
  const stopWaiting = context.waiters.add(run, response, 'cancel')
  try {
    const { stop, text } = await followAnswer(request, run, {
      after,
      signal,
      ...(reads && {
        onText: (piece) => stops.add(piece),
        onBreak: () => {
          stops.restart()
          onBreak()
        },
      }),
    })
    const ending = endingOf(stop, {
      forced,
      isStructured: isStructured(body),
      isSerial: tool_choice?.disable_parallel_tool_use === true,
      usedBefore: after === 0 ? undefined : run.usage,
    })
    // JSON that is there in one is a block of its own.
    if (!reads && (!isFormed || ending.blocks.length === 0)) stops.add(text)
    stops.end()
    if (stops.found === undefined) {
      if (ending.note !== '') onText(ending.note)
      return ending
    }
    if (stop.kind === 'waits') await context.runtime.runs.cancel(run.id, 'a stop sequence was met', caller.name)
    return { ...ending, blocks: [], stop: { reason: 'stop_sequence', sequence: stops.found } }
  } finally {
    stopWaiting()
  }
}
