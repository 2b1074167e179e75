import type { RunEvent } from '../../contracts/log/event.ts'
import { toText } from '../../contracts/model/message-text.ts'
import type { ToolCallView } from '../../contracts/run/call-view.ts'
import { RunView } from '../../contracts/run/run-view.ts'
import type { Plan, PlanStep } from '../../contracts/stages/plan.ts'

const TEXT_CHARS = 8_000

/** What is known of one run so far, brought up to date with each event before the detectors see it. */
export class RunFacts {
  readonly runId: string
  /** What the run's events add up to. */
  readonly view: RunView
  readonly #isOwnView: boolean
  /** The tool call that the event at hand ends. */
  call: ToolCallView | undefined
  /** Beginning of what the event at hand says; empty when it says nothing. */
  text = ''
  /** The tools that were called together with the text at hand. */
  toolsCalled: readonly string[] = []
  /** Model calls that have come back, of all agents. */
  turns = 0
  /** The hard budget in tokens; 0 when it is not known. */
  hardTokens = 0
  /** Measures that detectors keep, the largest of each. */
  readonly signals: Record<string, number> = {}
  readonly #turnsOf = new Map<string, number>()
  #executions = 0
  #plan: Plan | undefined
  #steps: ReadonlyMap<string, PlanStep> = new Map()

  /** @param view kept up to date by its owner, before it sends an event; default one of its own */
  constructor(runId: string, view?: RunView) {
    this.runId = runId
    this.view = view ?? new RunView()
    this.#isOwnView = view === undefined
  }

  /** The steps of the plan by id. */
  get steps(): ReadonlyMap<string, PlanStep> {
    const { plan } = this.view
    if (plan !== this.#plan) {
      this.#plan = plan
      this.#steps = new Map(plan?.steps.map((step) => [step.id, step]))
    }
    return this.#steps
  }

  /** Beginning of what a step answered; empty before it has. */
  outputOf(stepId: string): string {
    return this.view.steps.get(stepId)?.output.slice(0, TEXT_CHARS) ?? ''
  }

  /** Names who works on what in which try: a new try starts from nothing. */
  placeOf({ agentId = '', stepId = '' }: RunEvent): string {
    return `${this.#executions}|${agentId}|${stepId}|${this.view.steps.get(stepId)?.tries ?? 0}`
  }

  /** Whether the event belongs to the work itself, not to planning, judging or voting. */
  isWork({ stage }: RunEvent): boolean {
    return stage === undefined || stage === 'execute'
  }

  turnsSeenBy(agentId: string | undefined): number {
    return agentId === undefined ? this.turns : (this.#turnsOf.get(agentId) ?? 0)
  }

  raise(signal: string, value: number): void {
    this.signals[signal] = Math.max(value, this.signals[signal] ?? value)
  }

  learn(event: RunEvent): void {
    if (this.#isOwnView) this.view.apply(event)
    this.call = undefined
    this.text = ''
    switch (event.type) {
      case 'tool.completed':
      case 'tool.failed':
      case 'tool.denied':
        this.call = newestOf(this.view.toolCalls, event)
        return
      case 'model.completed': {
        const { agentId } = event
        this.turns++
        if (agentId !== undefined) this.#turnsOf.set(agentId, this.turnsSeenBy(agentId) + 1)
        return
      }
      case 'message.completed':
        this.text = toText(event.data.content).slice(0, TEXT_CHARS)
        this.toolsCalled = newestOf(this.view.modelCalls, event)?.toolCalls.map(({ tool }) => tool) ?? []
        return
      case 'run.created':
        this.hardTokens = event.data.options.budget?.maxTokens ?? 0
        return
      case 'stage.started':
        if (event.stage === 'execute') this.#executions++
        return
    }
  }
}

/** The newest call of an agent and call id: providers repeat ids from try to try. */
const newestOf = <T extends { callId: string; agentId: string }>(calls: readonly T[], event: RunEvent): T | undefined =>
  calls.findLast(({ callId, agentId }) => callId === (event.callId ?? '') && agentId === (event.agentId ?? ''))
