import type { CreateRuntimeOptions } from '@svc/plugins'

/** The recording of a base run, as an arm's run is answered from it. */
export interface Replay {
  options: Partial<CreateRuntimeOptions>
  /** Calls so far that were answered from the recording, and those that were not. */
  counts(): { hits: number; misses: number }
}

/**
 * Opens the recording of a run.
 *
 * @param bundle path of the base's run with the same task and seed
 * @param mode `fill`: what it does not hold goes live; `strict`: that is an error
 */
export async function openReplay(_bundle: string, _mode: 'fill' | 'strict'): Promise<Replay | undefined> {
  return undefined
}
