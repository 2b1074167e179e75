import { isTerminalEvent, type RunEvent } from '../../contracts/event.ts'
import type { Inspection, Issue } from '../../contracts/inspection.ts'
import type { RunView } from '../../contracts/run-view.ts'
import type { Detector, Sighting, Watch } from './detector.ts'
import type { DetectorRegistry } from './detector-registry.ts'
import { toGrade, toScore } from './health.ts'
import { RunFacts } from './run-facts.ts'
import type { Thresholds } from './thresholds.ts'

const EVIDENCE = 12
const SEVERITIES: readonly Issue['severity'][] = ['info', 'warn', 'critical']
const ACTIONS: readonly Issue['action'][] = ['none', 'nudge', 'replan', 'circuit', 'escalate', 'halt']
const NOTHING: readonly Issue[] = Object.freeze([])
/** In place of the facts of a run that has ended. */
const NO_FACTS = new RunFacts('')

interface Entry {
  issue: Issue
  /** Turns of the agent, or of the run, when it was last seen. */
  seenAtTurn: number
  isResolved: boolean
}

interface WatcherOptions {
  registry: DetectorRegistry
  thresholds: Thresholds
  onEnd: (watcher: RunWatcher) => void
  view?: RunView | undefined
}

/** Watches one run: its facts, its detectors, its issues. Made by `InspectorAgent.watch`. */
export class RunWatcher {
  readonly runId: string
  readonly #registry: DetectorRegistry
  readonly #thresholds: Thresholds
  readonly #onEnd: (watcher: RunWatcher) => void
  /** By the detector's place in the registry; made when the first event comes that it reads. */
  #watches: (Watch | undefined)[] = []
  #facts: RunFacts
  #entries: Map<string, Entry> | undefined
  #inspection: Inspection | undefined

  constructor(runId: string, { registry, thresholds, onEnd, view }: WatcherOptions) {
    this.runId = runId
    this.#registry = registry
    this.#thresholds = thresholds
    this.#onEnd = onEnd
    this.#facts = new RunFacts(runId, view)
  }

  /** Whether the run's last event was seen: later ones are ignored. */
  get hasEnded(): boolean {
    return this.#inspection !== undefined
  }

  /**
   * Takes in one event of the run.
   *
   * @returns the issues that are new or graver than before; the same empty list whenever there are none
   */
  observe(event: RunEvent): readonly Issue[] {
    // What an inspector says is no part of what it watches.
    if (event.type === 'inspect.issue' || this.hasEnded) return NOTHING
    this.#facts.learn(event)
    let found: Issue[] | undefined
    for (const index of this.#registry.of(event.type)) {
      const issue = this.#ask(index, event)
      if (issue === undefined) continue
      found ??= []
      found.push(issue)
    }
    if (isTerminalEvent(event)) this.#end()
    return found ?? NOTHING
  }

  /** How healthy the run is now. */
  report(): Inspection {
    if (this.#inspection !== undefined) return this.#inspection
    const { turns, signals, view } = this.#facts
    const issues: Issue[] = []
    const entries = this.#entries
    if (entries !== undefined) for (const entry of entries.values()) if (this.#isOpen(entry)) issues.push(entry.issue)
    const score = toScore(issues)
    const { inputTokens, outputTokens } = view.usage
    const { total, failed } = view.toolCallCounts
    return {
      grade: toGrade(score),
      score,
      issues,
      signals: {
        runs: 1,
        turns,
        tokens: inputTokens + outputTokens,
        toolCalls: total,
        toolErrorShare: total === 0 ? 0 : failed / total,
        openIssues: issues.length,
        closedIssues: (entries?.size ?? 0) - issues.length,
        ...signals,
      },
    }
  }

  /** Keeps the report and releases all that only a running run needs. */
  #end(): void {
    this.#inspection = this.report()
    this.#watches = []
    this.#entries = undefined
    this.#facts = NO_FACTS
    this.#onEnd(this)
  }

  #isOpen({ issue, seenAtTurn, isResolved }: Entry): boolean {
    return !isResolved && this.#facts.turnsSeenBy(issue.agentId) - seenAtTurn < this.#thresholds.closeAfterTurns
  }

  /** A detector that breaks its contract and throws sees nothing; the others go on. */
  #ask(index: number, event: RunEvent): Issue | undefined {
    try {
      let watch = this.#watches[index]
      if (watch === undefined) {
        watch = this.#registry.at(index).watch(this.#facts, this.#thresholds)
        this.#watches[index] = watch
      }
      const sighting = watch(event)
      if (sighting === undefined) return undefined
      const detector = this.#registry.at(index)
      if (!('resolved' in sighting)) return this.#record(detector, sighting, event)
      const entry = this.#entries?.get(`${detector.code}/${sighting.subject}`)
      if (entry !== undefined) entry.isResolved = true
    } catch {
      this.#facts.signals.detectorErrors = (this.#facts.signals.detectorErrors ?? 0) + 1
    }
    return undefined
  }

  #record({ code, mast }: Detector, sighting: Sighting, event: RunEvent): Issue | undefined {
    this.#entries ??= new Map()
    const id = `${code}/${sighting.subject}`
    const before = this.#entries.get(id)
    const stands = before !== undefined && this.#isOpen(before)
    const { severity, action, message, fix, agentId, stepId, tool, evidence = [] } = sighting
    const seqs = event.seq === undefined ? evidence : [...evidence, event.seq]
    const refs = [...(stands ? before.issue.evidence : []), ...seqs.map((seq) => `${this.runId}:${seq}`)]
    const issue: Issue = {
      id,
      code,
      ...(mast === undefined ? {} : { mast }),
      severity: stands ? graver(SEVERITIES, before.issue.severity, severity) : severity,
      message,
      ...(agentId === undefined ? {} : { agentId }),
      ...(stepId === undefined ? {} : { stepId }),
      ...(tool === undefined ? {} : { tool }),
      evidence: [...new Set(refs)].slice(-EVIDENCE),
      ...(fix === undefined ? {} : { fix }),
      firstAt: stands ? before.issue.firstAt : Date.parse(event.time),
      count: (before?.issue.count ?? 0) + 1,
      action: stands ? graver(ACTIONS, before.issue.action, action) : action,
    }
    this.#entries.set(id, { issue, seenAtTurn: this.#facts.turnsSeenBy(agentId), isResolved: false })
    const isNews = !stands || issue.severity !== before.issue.severity || issue.action !== before.issue.action
    return isNews ? issue : undefined
  }
}

const graver = <T>(order: readonly T[], a: T, b: T): T => (order.indexOf(b) > order.indexOf(a) ? b : a)
