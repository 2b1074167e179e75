import { isTerminalEvent, type RunEvent } from '../../contracts/log/event.ts'
import type { RunView } from '../../contracts/run/run-view.ts'
import type { Inspection, Issue } from '../../contracts/stages/inspection.ts'
import type { Detector, Sighting, Watch } from './detector.ts'
import { toGrade, toScore } from './health.ts'
import { RunFacts } from './run-facts.ts'
import type { Thresholds } from './thresholds.ts'

const EVIDENCE = 12
const SEVERITIES: readonly Issue['severity'][] = ['info', 'warn', 'critical']
const ACTIONS: readonly Issue['action'][] = ['none', 'nudge', 'replan', 'circuit', 'escalate', 'halt']

interface Entry {
  issue: Issue
  /** Turns of the agent, or of the run, when it was last seen. */
  seenAtTurn: number
  isResolved: boolean
}

interface WatcherOptions {
  /** Those that are added later watch from then on. */
  detectors: readonly Detector[]
  thresholds: Thresholds
  onEnd: (runId: string, inspection: Inspection) => void
  view?: RunView | undefined
}

/** Watches one run: its facts, its detectors, its issues. Made by `InspectorAgent.watch`. */
export class RunWatcher {
  readonly runId: string
  readonly #options: WatcherOptions
  readonly #watches = new Map<Detector, Watch>()
  readonly #entries = new Map<string, Entry>()
  readonly #facts: RunFacts
  #inspection: Inspection | undefined

  constructor(runId: string, options: WatcherOptions) {
    this.runId = runId
    this.#options = options
    this.#facts = new RunFacts(runId, options.view)
  }

  /** Whether the run's last event was seen: later ones are ignored. */
  get hasEnded(): boolean {
    return this.#inspection !== undefined
  }

  /**
   * Takes in one event of the run.
   *
   * @returns the issues that are new or graver than before
   */
  observe(event: RunEvent): readonly Issue[] {
    // What an inspector says is no part of what it watches.
    if (event.type === 'inspect.issue' || this.hasEnded) return []
    this.#facts.learn(event)
    const found: Issue[] = []
    for (const detector of this.#options.detectors) {
      const issue = detector.on.includes(event.type) ? this.#ask(detector, event) : undefined
      if (issue !== undefined) found.push(issue)
    }
    if (isTerminalEvent(event)) this.#end()
    return found
  }

  /** How healthy the run is now. */
  report(): Inspection {
    if (this.#inspection !== undefined) return this.#inspection
    const { turns, signals, view } = this.#facts
    const entries = [...this.#entries.values()]
    const issues = entries.filter((entry) => this.#isOpen(entry)).map(({ issue }) => issue)
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
        closedIssues: entries.length - issues.length,
        ...signals,
      },
    }
  }

  /** Keeps the report. */
  #end(): void {
    this.#inspection = this.report()
    this.#options.onEnd(this.runId, this.#inspection)
  }

  #isOpen({ issue, seenAtTurn, isResolved }: Entry): boolean {
    const turns = this.#facts.turnsSeenBy(issue.agentId) - seenAtTurn
    return !isResolved && turns < this.#options.thresholds.closeAfterTurns
  }

  /** A detector that breaks its contract and throws sees nothing; the others go on. */
  #ask(detector: Detector, event: RunEvent): Issue | undefined {
    try {
      const watch = this.#watches.get(detector) ?? detector.watch(this.#facts, this.#options.thresholds)
      this.#watches.set(detector, watch)
      const sighting = watch(event)
      if (sighting === undefined) return undefined
      if (!('resolved' in sighting)) return this.#record(detector, sighting, event)
      const entry = this.#entries.get(`${detector.code}/${sighting.subject}`)
      if (entry !== undefined) entry.isResolved = true
    } catch {
      this.#facts.signals.detectorErrors = (this.#facts.signals.detectorErrors ?? 0) + 1
    }
    return undefined
  }

  #record({ code, mast }: Detector, sighting: Sighting, event: RunEvent): Issue | undefined {
    const id = `${code}/${sighting.subject}`
    const before = this.#entries.get(id)
    const known = before !== undefined && this.#isOpen(before) ? before.issue : undefined
    const { severity, action, message, fix, agentId, stepId, tool, evidence = [] } = sighting
    const seqs = event.seq === undefined ? evidence : [...evidence, event.seq]
    const refs = [...(known?.evidence ?? []), ...seqs.map((seq) => `${this.runId}:${seq}`)]
    const issue: Issue = {
      id,
      code,
      ...(mast === undefined ? {} : { mast }),
      severity: graver(SEVERITIES, known?.severity, severity),
      message,
      ...(agentId === undefined ? {} : { agentId }),
      ...(stepId === undefined ? {} : { stepId }),
      ...(tool === undefined ? {} : { tool }),
      evidence: [...new Set(refs)].slice(-EVIDENCE),
      ...(fix === undefined ? {} : { fix }),
      firstAt: known?.firstAt ?? Date.parse(event.time),
      count: (before?.issue.count ?? 0) + 1,
      action: graver(ACTIONS, known?.action, action),
    }
    this.#entries.set(id, { issue, seenAtTurn: this.#facts.turnsSeenBy(agentId), isResolved: false })
    const isNews = issue.severity !== known?.severity || issue.action !== known?.action
    return isNews ? issue : undefined
  }
}

const graver = <T>(order: readonly T[], before: T | undefined, now: T): T =>
  before !== undefined && order.indexOf(before) > order.indexOf(now) ? before : now
