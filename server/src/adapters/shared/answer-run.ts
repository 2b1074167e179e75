import type { Answer } from '../../http/answer.ts'
import type { Problem } from '../../http/problem.ts'
import { noteProblem } from '../../http/send.ts'
import type { RouteRequest } from '../../routes/route.ts'
import type { Begun } from './begin-once.ts'
import { followAnswer } from './follow-answer.ts'
import { type OpenStream, openStream } from './open-stream.ts'
import { type Outcome, type Shape, toOutcome } from './outcome.ts'
import { StopSequences } from './stop-sequences.ts'

/** Writes an answer as it comes. */
export interface AnswerWriter {
  begin(): void
  text(piece: string): void
  /** What was said is no part of the answer. */
  break(): void
  /** All of its text was said. */
  end(outcome: Outcome): void
  /** Says why there is no answer; nothing comes after it. */
  fail(problem: Problem): void
}

/** Answers once it is known what the run comes to. A client that leaves before ends the run. */
export async function answerWhole(
  request: RouteRequest,
  shape: Shape,
  begun: Begun,
  toBody: (outcome: Outcome) => object,
): Promise<Answer> {
  const stop = request.context.waiters.add(begun.run, request.response, 'cancel')
  let text = ''
  try {
    const say = (piece: string): void => {
      text += piece
    }
    const outcome = await follow(request, shape, begun, { say })
    return { status: 200, body: toBody({ ...outcome, text }), headers: begun.headers }
  } finally {
    stop()
  }
}

/** Answers as the run says it; JSON comes as a whole. */
export function answerInPieces(
  request: RouteRequest,
  shape: Shape,
  begun: Begun,
  {
    createWriter,
    onDisconnect,
  }: {
    createWriter: (send: (text: string) => void) => AnswerWriter
    onDisconnect: 'cancel' | 'continue'
  },
): Answer {
  const { context, response } = request
  const write = async (): Promise<void> => {
    const stream = openStream(request)
    context.waiters.add(begun.run, response, onDisconnect)
    const writer = createWriter((text) => stream.send(text))
    writer.begin()
    const held = new HeldText(stream, (text) => writer.text(text))
    const onBreak = (): void => {
      held.end()
      writer.break()
    }
    try {
      const reader = { say: (piece: string) => held.add(piece), onBreak, signal: stream.signal }
      const outcome = await follow(request, shape, begun, reader)
      // What comes last may be long.
      await stream.drained()
      held.end()
      await stream.drained()
      writer.end(outcome)
    } catch (thrown) {
      held.end()
      if (!stream.signal.aborted) writer.fail(noteProblem(thrown, response))
    }
    stream.end()
  }
  return { status: 200, headers: begun.headers, write }
}

interface Reader {
  say(piece: string): void
  /** What was said does not stand. Absent: nothing is said before it stands. */
  onBreak?(): void
  signal?: AbortSignal
}

/**
 * Follows a run to what it comes to for its client, and says the text of that.
 *
 * @throws SvcError of a run that failed; the reason of the signal
 */
async function follow(
  request: RouteRequest,
  shape: Shape,
  { run, after, before }: Begun,
  { say, onBreak, signal }: Reader,
): Promise<Outcome> {
  const stops = new StopSequences(shape.stops, say)
  const reads = onBreak !== undefined && !shape.isJson
  const followed = await followAnswer(request, run, {
    after,
    ...(signal && { signal }),
    ...(reads && {
      onText: (piece) => stops.add(piece),
      onBreak() {
        stops.restart()
        onBreak()
      },
    }),
  })
  const outcome = toOutcome(run.id, followed, shape, before)
  const said = reads ? followed.text : ''
  if (shape.isJson) say(outcome.text)
  else if (outcome.text.startsWith(said)) stops.add(outcome.text.slice(said.length))
  stops.end()
  if (stops.found === undefined) {
    if (outcome.note !== '') say(outcome.note)
    return outcome
  }
  if (followed.stop.kind === 'waits')
    await request.context.runtime.runs.cancel(run.id, 'a stop sequence was met', request.caller.name)
  return { ...outcome, calls: [], approvals: [], isCut: false, stoppedBy: stops.found }
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
    } else if (piece !== '') this.#say(piece)
  }

  /** Says what was held. */
  end(): void {
    const text = this.#held
    this.#held = ''
    if (text !== '') this.#say(text)
  }
}
