import type { RunEvent } from '@svc/core/client'
import { AnswerText } from '@svc/core/client'

/** Comes in a stream of text where what was said before is not the answer: a form feed, after which the answer begins anew. */
export const RESET = '\f'

/** The answer of a run in pieces, the last of them before the end. A form feed of the answer itself comes as a line break. */
export async function* toTextPieces(events: AsyncIterable<RunEvent>): AsyncGenerator<string> {
  const answer = new AnswerText()
  for await (const event of events) {
    const change = answer.apply(event)
    if (change?.isWhole) yield RESET
    if (change !== undefined && change.text !== '') yield change.text.replaceAll(RESET, '\n')
  }
}
