import type { Parting, RunRow } from '../../../contracts/store/store.ts'
import { RunError, type SvcError } from '../../../errors.ts'
import { report } from '../../../support/background.ts'
import { digest } from '../../../support/ids.ts'
import type { Environment } from '../../environment.ts'
import type { RunSession } from '../session/session.ts'
import { askToGoOn, endQuestion } from './ask-to-go-on.ts'

/** What a run is worked on with here: the config, the version of svc, and what drop-ins and plugins add. */
const conditionsOf = ({ configHash, version, tools, providers }: Environment): string =>
  digest(JSON.stringify([configHash, version, tools.ids().sort(), providers.ids().sort()])).slice(0, 16)

/** How a run was left under these conditions. */
const partingHere = ({ parted }: Pick<RunRow, 'parted'>, env: Environment): Parting | undefined => {
  if (parted === undefined) return undefined
  const here = conditionsOf(env)
  return parted.find(({ under }) => under === here)
}

/** What was noted of a run under others, and this. */
const noted = (parting: Parting, { parted = [] }: Pick<RunRow, 'parted'>): Parting[] => [
  ...parted.filter(({ under }) => under !== parting.under),
  parting,
]

/**
 * Has a person decide whether a run goes on that has ended its process again and again, or that parts from its records under
 * the config and svc of this process, or needs what is not here.
 *
 * @param missing what it needs and is not here, in words; empty: nothing
 * @throws CancelledError where it shall not; RunError `replay_diverged` where it is left to others first
 */
export async function settleDoubts(session: RunSession, row: RunRow, missing: string): Promise<void> {
  const { env, recorder } = session
  const { id } = row
  const { lives } = recorder
  if (lives.isDoubtful) {
    lives.askPerson()
    const why = `run ${id} was taken up ${lives.recoveries} times without getting on: it may end its process again`
    await askToGoOn(session, 'run_poisoned', why)
    lives.clear()
  }
  const parting = partingHere(row, env)
  if (parting === undefined || (parting.missing ?? '') !== missing) {
    if (missing === '') return endQuestion(session)
    throw new RunError('replay_diverged', `run ${id} was begun with what is not here: ${missing}`)
  }
  if (parting.isAccepted !== true) {
    const why = `${parting.message}: what is recorded stands, and the rest is done as this config has it`
    await askToGoOn(session, 'replay_diverged', why)
    recorder.patch({ parted: noted({ ...parting, isAccepted: true }, row) })
  }
  recorder.mayPart()
}

/** Leaves a run that parts from its records here, or needs what is missing, to a process that fits. */
export async function leaveParted(
  session: RunSession,
  row: RunRow,
  { message }: SvcError,
  missing: string,
): Promise<void> {
  const { env, recorder } = session
  const why = missing === '' ? { message } : { message, missing }
  const reason = missing === '' ? message : `it was begun with what is not here: ${missing}`
  const waits = `Where nobody takes it up within ${Math.ceil(env.leaseMs / 1_000)} s, it waits for a person`
  report(`run ${row.id} is left to others`, new RunError('run_failed', `${reason}. ${waits}`))
  recorder.patch({ parted: noted({ under: conditionsOf(env), ...why, at: env.clock() }, row) })
  await session.release()
}

/** For how many milliseconds others may still come for a run that does not fit here; 0 where nobody is waited for. */
export function leftToOthersFor(row: Pick<RunRow, 'parted'>, env: Environment): number {
  const parting = partingHere(row, env)
  if (parting === undefined || parting.isAccepted === true) return 0
  return Math.max(0, parting.at + env.leaseMs - env.clock())
}
