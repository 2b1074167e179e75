import type { ExperimentReport } from '../../experiment/report/experiment-report.ts'
import type { HttpClient } from '../http-client.ts'

/** An experiment in a list. */
export interface ExperimentItem {
  /** Its name. */
  id: string
  arms: readonly string[]
  tasks: number
  runs: { made: number; planned: number }
  failedRuns: number
  changedAt: string
  /** Of the first arm against the base; absent where there is no report yet. */
  verdict?: string
}

/** What a report is shown of. Figures that JSON does not have are null. */
export interface ShownExperiment {
  report: ExperimentReport
  /** Ids of runs that regressions name, and that are in the store. */
  storedRuns: readonly string[]
}

/** The experiments of the folder that a server works in, to be read. */
export interface Experiments {
  /** The newest first, at most a hundred. */
  list(): Promise<ExperimentItem[]>
  /** @throws NotFoundError `experiment_not_found` */
  get(id: string): Promise<ShownExperiment>
}

export const createExperiments = (http: HttpClient): Experiments => ({
  list: async () => (await http.json<{ data: ExperimentItem[] }>('GET', '/v1/experiments')).data,
  get: (id) => http.json('GET', `/v1/experiments/${encodeURIComponent(id)}`),
})
