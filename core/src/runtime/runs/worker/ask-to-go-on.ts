import type { EventData } from '../../../contracts/log/event.ts'
import { CancelledError } from '../../../errors.ts'
import type { RunSession } from '../session/session.ts'

const GO_ON = 'go on'

/**
 * Asks a person whether a run goes on, and waits.
 *
 * @throws CancelledError where it shall not
 */
export async function askToGoOn(
  { control, recorder: { journal } }: RunSession,
  reason: EventData['run.waiting']['reason'],
  why: string,
): Promise<void> {
  const prompt = `${why}. Shall it go on?`
  let asked = 1
  for (; ; asked++) {
    const key = `go-on/${asked}`
    const awaited = journal.awaited(key)
    if (awaited !== undefined && 'input' in awaited && awaited.input.prompt !== prompt) {
      // Nobody answered it in an earlier life, and by now it would be another question.
      await journal.resolve(key, { kind: 'expired' })
    } else if (journal.stateOf(key) !== 'done') break
  }
  const resolution = await control.questions.askInput(
    { kind: 'input', prompt, schema: { enum: [GO_ON, 'cancel'] } },
    `go-on/${asked}`,
    reason,
  )
  if (resolution.kind !== 'input' || resolution.value !== GO_ON)
    throw new CancelledError('cancelled', 'a person decided that the run does not go on')
}
