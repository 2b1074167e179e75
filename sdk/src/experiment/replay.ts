import { type CreateRuntimeOptions, openCassette } from '@svc/plugins'

/** The recording of a base run, as an arm's run is answered from it. */
export interface Replay {
  options: Pick<CreateRuntimeOptions, 'cassette'>
  /** Model calls so far that were answered from the recording, and those that were not. */
  counts(): { hits: number; misses: number }
}

/**
 * Opens the recording of a run.
 *
 * @param bundle path of the base's run with the same task and seed
 * @param mode `fill`: what it does not hold goes live; `strict`: that is an error
 * @throws ValidationError `validation_failed` for a file that is no recorded run
 */
export async function openReplay(bundle: string, mode: 'fill' | 'strict'): Promise<Replay> {
  const cassette = await openCassette(bundle, mode)
  return {
    options: { cassette },
    counts: () => ({ hits: cassette.report.hits, misses: cassette.report.misses.length }),
  }
}
