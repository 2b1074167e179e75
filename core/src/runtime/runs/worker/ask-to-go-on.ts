import { CancelledError } from '../../../errors.ts'
import type { RunSession } from '../session/session.ts'

const GO_ON = 'go on'

/**
 * Asks a person whether a run goes on that has ended its process again and again, and waits.
 *
 * @throws CancelledError where it shall not
 */
export async function askToGoOn({ context, control, recorder }: RunSession): Promise<void> {
  const { journal, lives } = recorder
  let asked = 1
  while (journal.stateOf(`go-on/${asked}`) === 'done') asked++
  lives.askPerson()
  const resolution = await control.questions.askInput(
    {
      kind: 'input',
      prompt: `Run ${context.id} was taken up ${lives.recoveries} times without getting on: it may end its process again. Shall it go on?`,
      schema: { enum: [GO_ON, 'cancel'] },
    },
    `go-on/${asked}`,
    'run_poisoned',
  )
  if (resolution.kind !== 'input' || resolution.value !== GO_ON)
    throw new CancelledError('cancelled', 'a person decided that the run does not go on')
  lives.clear()
}
