import type { SvcConfig } from '../../../contracts/config.ts'
import { createId } from '../../../support/ids.ts'
import type { Environment } from '../../environment.ts'
import { pruneRuns } from './prune-runs.ts'

const DAY_MS = 86_400_000
/** How often a process looks what is to go. */
const EVERY_MS = 600_000
/** How long a process that is silent keeps the others from it. */
const HOLD_MS = 60_000
/** After each piece that was removed runs at work have the store for themselves. */
const PAUSE_MS = 50

/** Whose turn it is to remove runs of a folder: until then nobody else does. */
interface Turn {
  token: string
  until: number
}

/** Removes the ended runs of a folder that are too old or too many, one process at a time. */
export class Retention {
  readonly #env: Environment
  readonly #limits: NonNullable<SvcConfig['store']>
  readonly #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(env: Environment) {
    this.#env = env
    this.#limits = env.config.store ?? {}
    const { retainDays, retainRuns, retainBytes } = this.#limits
    const isLimited = retainDays !== undefined || retainRuns !== undefined || retainBytes !== undefined
    // A process that only asks removes nothing.
    if (!isLimited || env.claims === 'none') return
    this.#timer = setInterval(() => this.#begin(), EVERY_MS)
    this.#timer.unref()
    this.#begin()
  }

  stop(): void {
    this.#isStopped = true
    clearInterval(this.#timer)
  }

  #begin(): void {
    this.#env.background.run('removing old runs', () => this.#takeTurn())
  }

  async #takeTurn(): Promise<void> {
    const { store, clock, space } = this.#env
    const turns = store.records<Turn>('retention', space ?? '')
    const now = clock()
    const known = await turns.get('turn')
    // A turn that ends later than any can was noted by a clock that has been put back since.
    if (known !== undefined && known.until > now && known.until <= now + HOLD_MS) return
    const token = createId('turn', now)
    let mine: Turn | undefined = known
    const hold = async (ms: number): Promise<boolean> => {
      const next = { token, until: clock() + ms }
      const isMine = await turns.replace('turn', mine, next)
      mine = next
      return isMine
    }
    if (!(await hold(HOLD_MS))) return
    const { retainDays, retainRuns, retainBytes } = this.#limits
    const limits = {
      endedBefore: retainDays === undefined ? undefined : now - retainDays * DAY_MS,
      mostRuns: retainRuns,
      mostBytes: retainBytes,
    }
    const goesOn = async (hasRemoved: boolean): Promise<boolean> => {
      if (hasRemoved) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      if (this.#isStopped) return false
      return (mine?.until ?? 0) - clock() > HOLD_MS / 2 || hold(HOLD_MS)
    }
    await pruneRuns(this.#env, limits, { ...(space !== undefined && { space }), goesOn })
    await hold(0)
  }
}
