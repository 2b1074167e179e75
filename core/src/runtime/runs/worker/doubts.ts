import type { RunRow } from '../../../contracts/store/store.ts'
import type { SvcError } from '../../../errors.ts'
import type { Environment } from '../../environment.ts'
import { conditionsOf } from '../session/compare-events.ts'
import type { RunSession } from '../session/session.ts'
import { askToGoOn } from './ask-to-go-on.ts'

/**
 * Has a person decide whether a run goes on that has ended its process again and again, or that parts from its records under
 * the config and svc of this process.
 *
 * @throws CancelledError where it shall not
 */
export async function settleDoubts(session: RunSession, { id, parted }: RunRow): Promise<void> {
  const { env, recorder } = session
  const { lives } = recorder
  if (lives.isDoubtful) {
    lives.askPerson()
    const why = `run ${id} was taken up ${lives.recoveries} times without getting on: it may end its process again`
    await askToGoOn(session, 'run_poisoned', why)
    lives.clear()
  }
  if (parted?.under !== conditionsOf(env)) return
  if (parted.isAccepted !== true) {
    const why = `${parted.message}: what is recorded stands, and the rest is done as this config has it`
    await askToGoOn(session, 'replay_diverged', why)
    recorder.patch({ parted: { ...parted, isAccepted: true } })
  }
  recorder.mayPart()
}

/** Leaves a run that parts from its records here to a process that fits. */
export async function leaveParted(session: RunSession, { message }: SvcError): Promise<void> {
  const { env, recorder } = session
  recorder.patch({ parted: { under: conditionsOf(env), message, at: env.clock() } })
  await session.release()
}

/** Whether others may still come for a run that parts from its records here. */
export const isLeftToOthers = (
  { parted }: Pick<RunRow, 'parted'>,
  env: Pick<Environment, 'configHash' | 'version' | 'leaseMs' | 'clock'>,
): boolean =>
  parted !== undefined &&
  parted.isAccepted !== true &&
  parted.under === conditionsOf(env) &&
  env.clock() < parted.at + env.leaseMs
