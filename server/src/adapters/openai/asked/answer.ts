import type { Answer } from '../../../http/answer.ts'
import { noteProblem } from '../../../http/send.ts'
import type { RouteRequest } from '../../../routes/route.ts'
import { type OpenStream, openStream } from '../../shared/open-stream.ts'
import { type OpenAiError, toOpenAiError } from '../problem.ts'
import type { Begun } from './begin.ts'
import { follow } from './follow.ts'
import type { Outcome, Shape } from './outcome.ts'

/** Writes an answer as it comes. */
export interface AnswerWriter {
  begin(): void
  text(piece: string): void
  /** What was said is no part of the answer. */
  break(): void
  /** @param rest of what the outcome says: what was not said in pieces */
  end(outcome: Outcome, rest: string): void
  /** Says why there is no answer; nothing comes after it. */
  fail(error: OpenAiError['error']): void
}

/** Answers once it is known what the run comes to. A client that leaves before ends the run. */
export async function answerWhole(
  request: RouteRequest,
  asked: Shape,
  begun: Begun,
  toBody: (outcome: Outcome) => object,
): Promise<Answer> {
  const stop = request.context.waiters.add(begun.run, request.response, 'cancel')
  try {
    const { outcome } = await follow(request, begun, asked)
    return { status: 200, body: toBody(outcome), headers: begun.headers }
  } finally {
    stop()
  }
}

/** Answers as the run says it; JSON comes as a whole. */
export function answerInPieces(
  request: RouteRequest,
  asked: Shape,
  begun: Begun,
  {
    createWriter,
    onDisconnect,
  }: {
    createWriter: (send: (text: string) => void) => AnswerWriter
    onDisconnect: 'cancel' | 'continue'
  },
): Answer {
  const write = async (): Promise<void> => {
    const stream = openStream(request)
    request.context.waiters.add(begun.run, request.response, onDisconnect)
    const writer = createWriter((text) => stream.send(text))
    writer.begin()
    const held = new HeldText(stream, (text) => writer.text(text))
    const onBreak = (): void => {
      held.end()
      writer.break()
    }
    const pieces = asked.isJson ? {} : { onText: (piece: string) => held.add(piece), onBreak }
    try {
      const { outcome, said } = await follow(request, begun, asked, { ...pieces, signal: stream.signal })
      await stream.drained()
      held.end()
      await stream.drained()
      writer.end(outcome, restOf(outcome, said, asked))
    } catch (thrown) {
      held.end()
      if (!stream.signal.aborted) writer.fail(toOpenAiError(noteProblem(thrown, request.response)).error)
    }
    stream.end()
  }
  return { status: 200, headers: begun.headers, write }
}

/** Pieces for a reader, as one where it does not keep up: each has many times its length around it. */
class HeldText {
  readonly #stream: OpenStream
  readonly #say: (text: string) => void
  #held = ''

  constructor(stream: OpenStream, say: (text: string) => void) {
    this.#stream = stream
    this.#say = say
  }

  add(piece: string): void {
    if (this.#held !== '') this.#held += piece
    else if (this.#stream.isBehind) {
      this.#held = piece
      void this.#stream.drained().then(() => this.end())
    } else this.#say(piece)
  }

  /** Says what was held. */
  end(): void {
    const text = this.#held
    this.#held = ''
    if (text !== '') this.#say(text)
  }
}

/** What of an answer was not said in pieces: JSON, and a question. */
const restOf = ({ text }: Outcome, said: string, { isJson }: Shape): string =>
  isJson ? text : text.startsWith(said) ? text.slice(said.length) : ''
