import type { ToolCallView } from '../../contracts/call-view.ts'
import type { RunEvent } from '../../contracts/event.ts'
import { toText } from '../../contracts/message-text.ts'
import type { Plan, PlanStep } from '../../contracts/plan.ts'
import { RunView } from '../../contracts/run-view.ts'

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
  toolsCalled: readonly string[] = NO_TOOLS
  /** Model calls that have come back, of all agents. */
  turns = 0
  /** The hard budget in tokens; 0 when it is not known. */
  hardTokens = 0
  /** Measures that detectors keep, the largest of each. */
  readonly signals: Record<string, number> = {}
  readonly #turnsOf = new Map<string, number>()
  #steps: ReadonlyMap<string, PlanStep> = NO_STEPS
  #planOfSteps: Plan | undefined
  #executions = 0
  #place = ''
  #placeAgent: string | undefined
  #placeStep: string | undefined

  /** @param view kept up to date by its owner, before it sends an event; default one of its own */
  constructor(runId: string, view?: RunView) {
    this.runId = runId
    this.view = view ?? new RunView()
    this.#isOwnView = view === undefined
  }

  /** The steps of the plan by id. */
  get steps(): ReadonlyMap<string, PlanStep> {
    const { plan } = this.view
    if (plan !== this.#planOfSteps) {
      this.#planOfSteps = plan
      this.#steps = plan === undefined ? NO_STEPS : new Map(plan.steps.map((step) => [step.id, step]))
    }
    return this.#steps
  }

  /** Beginning of what a step answered; empty before it has. */
  outputOf(stepId: string): string {
    return this.view.steps.get(stepId)?.output.slice(0, TEXT_CHARS) ?? ''
  }

  /** Names who works on what in which try: a new try starts from nothing. */
  placeOf({ agentId, stepId }: RunEvent): string {
    if (agentId !== this.#placeAgent || stepId !== this.#placeStep || this.#place === '') {
      this.#placeAgent = agentId
      this.#placeStep = stepId
      const tries = stepId === undefined ? 0 : (this.view.steps.get(stepId)?.tries ?? 0)
      this.#place = `${this.#executions}|${agentId ?? ''}|${stepId ?? ''}|${tries}`
    }
    return this.#place
  }

  /** Whether the event belongs to the work itself, not to planning, judging or voting. */
  isWork({ stage }: RunEvent): boolean {
    return stage === undefined || stage === 'execute'
  }

  turnsSeenBy(agentId: string | undefined): number {
    return agentId === undefined ? this.turns : (this.#turnsOf.get(agentId) ?? 0)
  }

  raise(signal: string, value: number): void {
    const before = this.signals[signal]
    if (before === undefined || value > before) this.signals[signal] = value
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
        if (agentId !== undefined) this.#turnsOf.set(agentId, (this.#turnsOf.get(agentId) ?? 0) + 1)
        return
      }
      case 'message.completed':
        this.text = toText(event.data.content).slice(0, TEXT_CHARS)
        this.toolsCalled = toNames(newestOf(this.view.modelCalls, event)?.toolCalls)
        return
      case 'step.started':
      case 'step.retrying':
        this.#place = ''
        return
      case 'run.created':
        this.hardTokens = event.data.options.budget?.maxTokens ?? 0
        return
      case 'stage.started':
        if (event.stage === 'execute') this.#executions++
        this.#place = ''
        return
    }
  }
}

const NO_STEPS: ReadonlyMap<string, PlanStep> = new Map()
const NO_TOOLS: readonly string[] = []

const toNames = (calls: readonly { tool: string }[] = []): readonly string[] =>
  calls.length === 0 ? NO_TOOLS : calls.map(({ tool }) => tool)

/** The newest call of an agent and call id: providers repeat ids from try to try. */
function newestOf<T extends { callId: string; agentId: string }>(calls: readonly T[], event: RunEvent): T | undefined {
  const { callId = '', agentId = '' } = event
  for (let at = calls.length - 1; at >= 0; at--) {
    const call = calls[at]
    if (call?.callId === callId && call.agentId === agentId) return call
  }
  return undefined
}
