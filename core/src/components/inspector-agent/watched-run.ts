import type { RunEvent } from '../../contracts/event.ts'
import type { Issue } from '../../contracts/inspection.ts'
import type { Detector, Sighting, Watch } from './detector.ts'
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

/** One run under watch: its facts, its detectors at work, its issues. */
export class WatchedRun {
  readonly facts: RunFacts
  readonly #entries = new Map<string, Entry>()
  readonly #watches = new Map<Detector, Watch>()
  readonly #thresholds: Thresholds
  hasEnded = false

  constructor(runId: string, thresholds: Thresholds) {
    this.facts = new RunFacts(runId)
    this.#thresholds = thresholds
  }

  /** @returns issues that are new or graver than before */
  observe(event: RunEvent, detectors: readonly Detector[], time: () => number): Issue[] {
    this.facts.learn(event)
    const found: Issue[] = []
    for (const detector of detectors) {
      let watch = this.#watches.get(detector)
      if (watch === undefined) {
        watch = detector.watch(this.facts, this.#thresholds)
        this.#watches.set(detector, watch)
      }
      const sighting = this.#ask(watch, event)
      if (sighting === undefined) continue
      if ('resolved' in sighting) this.#resolve(`${detector.code}/${sighting.subject}`)
      else {
        const issue = this.#record(detector, sighting, event, time)
        if (issue !== undefined) found.push(issue)
      }
    }
    return found
  }

  /** Lets go of what only a running run needs. */
  end(): void {
    this.hasEnded = true
    this.#watches.clear()
  }

  /** Issues that stand, oldest first. */
  openIssues(): Issue[] {
    return [...this.#entries.values()].filter((entry) => this.#isOpen(entry)).map(({ issue }) => issue)
  }

  get closedCount(): number {
    return [...this.#entries.values()].filter((entry) => !this.#isOpen(entry)).length
  }

  #isOpen({ issue, seenAtTurn, isResolved }: Entry): boolean {
    return !isResolved && this.facts.turnsSeenBy(issue.agentId) - seenAtTurn < this.#thresholds.closeAfterTurns
  }

  /** A detector that breaks its promise and throws sees nothing; the others go on. */
  #ask(watch: Watch, event: RunEvent): ReturnType<Watch> {
    try {
      return watch(event)
    } catch {
      this.facts.signals.detectorErrors = (this.facts.signals.detectorErrors ?? 0) + 1
      return undefined
    }
  }

  #resolve(id: string): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined) entry.isResolved = true
  }

  #record({ code, mast }: Detector, sighting: Sighting, event: RunEvent, time: () => number): Issue | undefined {
    const id = `${code}/${sighting.subject}`
    const before = this.#entries.get(id)
    const stands = before !== undefined && this.#isOpen(before)
    const { severity, action, message, fix, agentId, stepId, tool } = sighting
    const refs = [...(stands ? before.issue.evidence : []), ...(sighting.evidence ?? [])]
    if (event.seq !== undefined) refs.push(this.facts.refOf(event))
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
      firstAt: stands ? before.issue.firstAt : time(),
      count: (before?.issue.count ?? 0) + 1,
      action: stands ? graver(ACTIONS, before.issue.action, action) : action,
    }
    this.#entries.set(id, { issue, seenAtTurn: this.facts.turnsSeenBy(agentId), isResolved: false })
    const isNews = !stands || issue.severity !== before.issue.severity || issue.action !== before.issue.action
    return isNews ? issue : undefined
  }
}

const graver = <T>(order: readonly T[], a: T, b: T): T => (order.indexOf(b) > order.indexOf(a) ? b : a)
