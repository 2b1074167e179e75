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
  await decide(control, `go-on/${asked}`, prompt, reason)
}

/**
 * Ends what an earlier life has asked, and this one has no reason to ask: the run goes on, unless a person has said meanwhile
 * that it shall not.
 *
 * @throws CancelledError where it shall not
 */
export async function endQuestion({ control, recorder: { journal } }: RunSession): Promise<void> {
  for (let asked = 1; journal.stateOf(`go-on/${asked}`) !== 'new'; asked++) {
    const key = `go-on/${asked}`
    const awaited = journal.stateOf(key) === 'done' ? undefined : journal.awaited(key)
    if (awaited !== undefined && 'input' in awaited && (await control.isAnswered(key)))
      await decide(control, key, awaited.input.prompt, 'replay_diverged')
    else control.questions.withdraw(key)
  }
}

/** @throws CancelledError where the run shall not go on */
async function decide(
  { questions }: RunSession['control'],
  key: string,
  prompt: string,
  reason: EventData['run.waiting']['reason'],
): Promise<void> {
  const request = { kind: 'input' as const, prompt, schema: { enum: [GO_ON, 'cancel'] } }
  const resolution = await questions.askInput(request, key, reason)
  if (resolution.kind !== 'input' || resolution.value !== GO_ON)
    throw new CancelledError('cancelled', 'a person decided that the run does not go on')
}
