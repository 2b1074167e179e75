import type { EventType, RunEvent } from '../../contracts/event.ts'
import type { Inspection, Issue } from '../../contracts/inspection.ts'
import { ValidationError } from '../../errors.ts'
import type { Detector } from './detector.ts'
import { DETECTORS } from './detectors/index.ts'
import { ServiceLevel } from './service-level.ts'
import { type Thresholds, toThresholds } from './thresholds.ts'
import { WatchedRun } from './watched-run.ts'

export interface InspectorAgentOptions {
  /** Changes some of the thresholds. */
  thresholds?: Partial<Thresholds>
  /** Share of model calls that must succeed, over all runs; default .99. */
  objective?: number
  /** Milliseconds since the epoch, for events whose time cannot be read; default the system clock. */
  clock?: () => number
}

/** Runs that are remembered; beyond it those that ended first are forgotten. */
const MAX_RUNS = 64
/** By how much an open issue lowers the health. */
const PENALTY: Readonly<Record<Issue['severity'], number>> = { info: 0.02, warn: 0.1, critical: 0.35 }
const ENDS: ReadonlySet<string> = new Set(['run.completed', 'run.incomplete', 'run.failed', 'run.cancelled'])

/**
 * Watches runs by their events and says how healthy they are. Health is not correctness: a healthy run can be wrong.
 *
 * The failure modes are those of MAST (Cemri et al., 2025), as far as they can be seen without a model.
 *
 * @example
 * const inspector = new InspectorAgent()
 * client.onEvent((event) => inspector.observe(event))
 * console.log(inspector.report().grade)
 */
export class InspectorAgent {
  readonly #thresholds: Thresholds
  readonly #clock: () => number
  readonly #runs = new Map<string, WatchedRun>()
  readonly #detectors: Detector[] = []
  readonly #service: ServiceLevel
  #byType = new Map<EventType, readonly Detector[]>()

  /** @throws ValidationError `validation_failed` for a threshold that does not exist or is no positive number */
  constructor({ thresholds, objective = 0.99, clock = Date.now }: InspectorAgentOptions = {}) {
    if (!(objective > 0 && objective < 1)) {
      throw new ValidationError('validation_failed', `objective is ${objective}: must lie between 0 and 1`)
    }
    this.#service = new ServiceLevel(objective)
    this.#thresholds = toThresholds(thresholds)
    this.#clock = clock
    for (const detector of DETECTORS) this.registerDetector(detector)
  }

  /**
   * Adds a detector of your own; it watches from the next event on.
   *
   * @throws ValidationError `validation_failed` when its code is no slug or is taken
   */
  registerDetector(detector: Detector): void {
    if (!/^[a-z][a-z0-9-]{0,63}$/.test(detector.code)) {
      throw new ValidationError(
        'validation_failed',
        `detector code "${detector.code}": must be lower case letters, digits and hyphens`,
      )
    }
    if (this.#detectors.some(({ code }) => code === detector.code)) {
      throw new ValidationError(
        'validation_failed',
        `detector code "${detector.code}": a detector of this code is registered, take another`,
      )
    }
    this.#detectors.push(detector)
    this.#byType = new Map()
  }

  /**
   * Takes in one event, in constant time.
   *
   * @returns the issues that are new, or graver than before
   */
  observe(event: RunEvent): Issue[] {
    // What an inspector says is no part of what it watches.
    if (event.type === 'inspect.issue') return []
    const run = this.#runs.get(event.runId) ?? this.#begin(event.runId)
    const issues = run.observe(event, this.#detectorsFor(event.type), () => this.#timeOf(event))
    if (event.type === 'model.completed' || event.type === 'model.failed')
      this.#service.count(this.#timeOf(event), event.type === 'model.failed')
    if (ENDS.has(event.type)) run.end()
    return issues
  }

  /**
   * How healthy a run is, or, without an id, the worst of the runs that are remembered with the issues of all.
   *
   * Health is the product of (1 - p) over the open issues, p = .02 for info, .10 for warn, .35 for critical. An issue
   * that was not seen for five turns is closed.
   */
  report(runId?: string): Inspection {
    const runs =
      runId === undefined ? [...this.#runs.values()] : [this.#runs.get(runId)].filter((run) => run !== undefined)
    const issues = runs.flatMap((run) => run.openIssues())
    const score = Math.min(1, ...runs.map((run) => toHealth(run.openIssues())))
    const signals = toSignals(runs)
    if (runId !== undefined) return { grade: toGrade(score), score, issues, signals }
    const service = this.#serviceIssues(signals)
    const health = Math.min(score, toHealth(service))
    return { grade: toGrade(health), score: health, issues: [...issues, ...service], signals }
  }

  #serviceIssues(signals: Record<string, number>): Issue[] {
    const burning: Issue[] = []
    for (const { name, rate, isBurning } of this.#service.burns()) {
      signals[`burn${name[0]?.toUpperCase()}${name.slice(1)}`] = Math.round(rate * 1000) / 1000
      if (!isBurning) continue
      burning.push({
        id: `service-level/${name}`,
        code: 'service-level',
        severity: name === 'fast' ? 'critical' : name === 'medium' ? 'warn' : 'info',
        message: `model calls fail ${rate.toFixed(1)} times as often as the objective allows`,
        evidence: [],
        fix: 'Look at the provider, or give the runs a fallback model.',
        firstAt: this.#service.lastMinuteMs,
        count: 1,
        action: 'escalate',
      })
    }
    return burning
  }

  #begin(runId: string): WatchedRun {
    if (this.#runs.size >= MAX_RUNS) {
      const ended = [...this.#runs].find(([, run]) => run.hasEnded)
      const [oldest] = ended ?? [...this.#runs.keys()]
      if (oldest !== undefined) this.#runs.delete(oldest)
    }
    const run = new WatchedRun(runId, this.#thresholds)
    this.#runs.set(runId, run)
    return run
  }

  #detectorsFor(type: EventType): readonly Detector[] {
    let detectors = this.#byType.get(type)
    if (detectors === undefined) {
      detectors = this.#detectors.filter(({ on }) => on.includes(type))
      this.#byType.set(type, detectors)
    }
    return detectors
  }

  #timeOf({ time }: RunEvent): number {
    const at = Date.parse(time)
    return Number.isNaN(at) ? this.#clock() : at
  }
}

function toHealth(issues: readonly Issue[]): number {
  const health = issues.reduce((product, { severity }) => product * (1 - PENALTY[severity]), 1)
  return Math.round(health * 1e6) / 1e6
}

const toGrade = (score: number): Inspection['grade'] =>
  score >= 0.9 ? 'healthy' : score >= 0.7 ? 'degraded' : 'unhealthy'

/** Counts are added up over runs, of all other measures the largest is kept. */
function toSignals(runs: readonly WatchedRun[]): Record<string, number> {
  const signals: Record<string, number> = {
    runs: runs.length,
    turns: 0,
    tokens: 0,
    toolCalls: 0,
    toolErrorShare: 0,
    openIssues: 0,
    closedIssues: 0,
  }
  let errors = 0
  const add = (name: string, value: number) => {
    signals[name] = (signals[name] ?? 0) + value
  }
  for (const run of runs) {
    const { facts } = run
    add('turns', facts.turns)
    add('tokens', facts.tokens)
    add('toolCalls', facts.toolCalls)
    add('openIssues', run.openIssues().length)
    add('closedIssues', run.closedCount)
    errors += facts.toolErrors
    for (const [name, value] of Object.entries(facts.signals)) signals[name] = Math.max(signals[name] ?? 0, value)
  }
  const calls = signals.toolCalls ?? 0
  signals.toolErrorShare = calls === 0 ? 0 : errors / calls
  return signals
}
