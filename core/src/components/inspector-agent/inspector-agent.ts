import { mustFit, SLUG } from '../../contracts/ids.ts'
import type { RunEvent } from '../../contracts/log/event.ts'
import type { RunView } from '../../contracts/run/run-view.ts'
import type { Inspection, InspectionApi, Issue } from '../../contracts/stages/inspection.ts'
import { ValidationError } from '../../errors.ts'
import type { Detector } from './detector.ts'
import { DETECTORS } from './detectors/index.ts'
import { mergeInspections } from './health.ts'
import { RunWatcher } from './run-watcher.ts'
import { type Thresholds, toThresholds } from './thresholds.ts'

export interface InspectorAgentOptions {
  /** Changes some of the thresholds. */
  thresholds?: Partial<Thresholds>
}

/** Reports of ended runs that are remembered. */
const ENDED_RUNS = 64

/**
 * Watches runs by their events and says how healthy they are. Health is not correctness: a healthy run can be wrong.
 *
 * The failure modes are those of MAST (Cemri et al., 2025), as far as they can be seen without a model. Every run that
 * has not ended is remembered, however many there are; of those that ended the reports of the last 64.
 *
 * @example
 * const inspector = new InspectorAgent()
 * client.onEvent((event) => inspector.observe(event))
 * console.log(inspector.report().grade)
 */
export class InspectorAgent implements InspectionApi {
  readonly #thresholds: Thresholds
  readonly #detectors: Detector[] = [...DETECTORS]
  readonly #running = new Map<string, RunWatcher>()
  readonly #ended = new Map<string, Inspection>()

  /** @throws ValidationError `validation_failed` for a threshold that does not exist or is no positive number */
  constructor({ thresholds }: InspectorAgentOptions = {}) {
    this.#thresholds = toThresholds(thresholds)
  }

  /**
   * Adds a detector of your own; it watches from the next event on.
   *
   * @throws ValidationError `validation_failed` when its code is no slug or is taken
   */
  registerDetector(detector: Detector): void {
    const { code } = detector
    if (!SLUG.test(code)) throw invalid(code, `must ${mustFit(SLUG.source)}`)
    if (this.#detectors.some((other) => other.code === code)) throw invalid(code, 'is registered already, take another')
    this.#detectors.push(detector)
  }

  /**
   * The watcher of one run: the same until the run has ended, then a new one. Give it every event of the run, in order.
   *
   * @param view the run's projection, kept up to date by its owner before it sends an event (`run.view`); default one of its
   *   own
   */
  watch(runId: string, view?: RunView): RunWatcher {
    let watcher = this.#running.get(runId)
    if (watcher === undefined) {
      watcher = new RunWatcher(runId, {
        detectors: this.#detectors,
        thresholds: this.#thresholds,
        onEnd: this.#onEnd,
        view,
      })
      this.#running.set(runId, watcher)
    }
    return watcher
  }

  /** Forgets a run whose end will not be seen here, such as one that another process took over. */
  forget(runId: string): void {
    this.#running.delete(runId)
    this.#ended.delete(runId)
  }

  /**
   * Takes in one event of any run, in constant time. To watch one run, call `watch` once instead.
   *
   * @returns the issues that are new or graver than before
   */
  observe(event: RunEvent): readonly Issue[] {
    if (event.type === 'inspect.issue' || this.#ended.has(event.runId)) return []
    return this.watch(event.runId).observe(event)
  }

  /**
   * How healthy a run is, or, without an id, the worst of the runs that are remembered with the issues of all. A run that
   * is not known is healthy.
   *
   * Health is the product of (1 - p) over the open issues, p = .02 for info, .10 for warn, .35 for critical. An issue
   * that was not seen for five turns is closed.
   */
  report(runId?: string): Inspection {
    if (runId !== undefined) return this.#running.get(runId)?.report() ?? this.#ended.get(runId) ?? mergeInspections([])
    const running = [...this.#running.values()].map((watcher) => watcher.report())
    return mergeInspections([...this.#ended.values(), ...running])
  }

  readonly #onEnd = (runId: string, inspection: Inspection): void => {
    this.#running.delete(runId)
    this.#ended.delete(runId)
    this.#ended.set(runId, inspection)
    if (this.#ended.size > ENDED_RUNS) this.#ended.delete(this.#ended.keys().next().value as string)
  }
}

const invalid = (code: string, why: string): ValidationError =>
  new ValidationError('validation_failed', `detector code "${code}": ${why}`)
