import type { RunEvent } from '../../contracts/event.ts'
import { type ContentPart, toText } from '../../contracts/message.ts'
import type { Plan, PlanStep } from '../../contracts/plan.ts'
import type { Usage } from '../../contracts/usage.ts'
import type { WorkStatus } from '../../contracts/words.ts'
import { digest, toCanonical } from './digest.ts'

/** A tool call that has ended. */
export interface Action {
  tool: string
  risk: string
  /** Equal for calls of one tool with the same arguments. */
  name: string
  /** Equal for equal results; absent when the event does not say what came of it. */
  result?: string
  outcome: 'completed' | 'failed' | 'denied'
  errorCode: string
  /** Beginning of what it returned. */
  text: string
  args: string
}

interface OpenCall {
  tool: string
  risk: string
  args: string
}

const MAX_OPEN_CALLS = 1_000
const TEXT_CHARS = 8_000
const OUTCOMES: Readonly<Record<string, Action['outcome']>> = {
  'tool.completed': 'completed',
  'tool.failed': 'failed',
  'tool.denied': 'denied',
}
const STEP_STATUS: Readonly<Record<string, WorkStatus>> = {
  'step.started': 'running',
  'step.retrying': 'running',
  'step.completed': 'completed',
  'step.failed': 'failed',
  'step.skipped': 'skipped',
}

/** What is known of one run so far, brought up to date with each event before the detectors see it. */
export class RunFacts {
  readonly runId: string
  /** The tool call that the event at hand ends. */
  action: Action | undefined
  /** The text that the event at hand says on behalf of an agent. */
  message: string | undefined
  /** Model calls that have come back, of all agents and of each. */
  turns = 0
  readonly turnsOf = new Map<string, number>()
  plan: Plan | undefined
  readonly steps = new Map<string, PlanStep>()
  readonly stepStatus = new Map<string, WorkStatus>()
  readonly stepOutput = new Map<string, string>()
  /** Tokens spent, the soft and the hard budget; 0 for a budget that is not known. */
  tokens = 0
  softTokens = 0
  hardTokens = 0
  toolCalls = 0
  toolErrors = 0
  /** Measures that detectors keep, the largest each. */
  readonly signals: Record<string, number> = {}
  readonly #open = new Map<string, OpenCall>()
  readonly #tries = new Map<string, number>()
  readonly #withCalls = new Set<string>()
  #walk = 0

  constructor(runId: string) {
    this.runId = runId
  }

  /** Names who works on what in which try: a new try starts from nothing. */
  placeOf({ agentId = '', stepId = '' }: RunEvent): string {
    return `${this.#walk}|${agentId}|${stepId}|${this.#tries.get(stepId) ?? 0}`
  }

  refOf(event: RunEvent): string {
    return `${this.runId}:${event.seq ?? 0}`
  }

  /** Whether the event belongs to the work itself, not to planning, judging or voting. */
  isWork({ stage }: RunEvent): boolean {
    return stage === undefined || stage === 'execute'
  }

  turnsSeenBy(agentId: string | undefined): number {
    return agentId === undefined ? this.turns : (this.turnsOf.get(agentId) ?? 0)
  }

  raise(signal: string, value: number): void {
    this.signals[signal] = Math.max(this.signals[signal] ?? 0, value)
  }

  learn(event: RunEvent): void {
    this.action = undefined
    this.message = undefined
    const { type, data } = event
    if (type.startsWith('tool.')) this.#learnCall(event)
    else if (type === 'model.completed') this.#learnTurn(event)
    else if (type === 'message.completed') this.#learnMessage(event)
    else if (type.startsWith('step.')) this.#learnStep(event)
    else if (type === 'plan.created') this.#learnPlan(data as unknown as Plan)
    else if (type === 'plan.revised') this.#learnPlan((data as { plan?: Plan }).plan)
    else if (type === 'budget.allocated') this.softTokens = toNumber(data.total)
    else if (type === 'run.created') this.hardTokens = readHardBudget(data.options)
    else if (type === 'stage.started' && event.stage === 'execute') this.#walk++
  }

  #learnCall(event: RunEvent): void {
    const { type, data, agentId = '', stepId = '', callId = '' } = event
    const id = `${agentId}|${stepId}|${callId}`
    if (type === 'tool.requested') {
      if (this.#open.size >= MAX_OPEN_CALLS) this.#open.clear()
      this.#open.set(id, { tool: toWord(data.tool), risk: toWord(data.risk), args: toCanonical(data.args) })
      return
    }
    const outcome = OUTCOMES[type]
    if (outcome === undefined) return
    const open = this.#open.get(id)
    this.#open.delete(id)
    const tool = toWord(data.tool) || (open?.tool ?? '')
    const args = open?.args ?? ''
    const text = toPlain(outcome === 'completed' ? data.result : (data.error ?? data.reason))
    this.action = {
      tool,
      risk: open?.risk ?? '',
      name: digest(`${tool} ${args}`),
      ...(outcome === 'completed' && data.result === undefined ? {} : { result: digest(`${outcome} ${text}`) }),
      outcome,
      errorCode: readCode(data.error),
      text: text.slice(0, TEXT_CHARS),
      args: args.slice(0, TEXT_CHARS),
    }
    this.toolCalls++
    if (outcome === 'failed') this.toolErrors++
  }

  #learnTurn(event: RunEvent): void {
    const { data, agentId, callId = '' } = event
    this.turns++
    if (agentId !== undefined) this.turnsOf.set(agentId, (this.turnsOf.get(agentId) ?? 0) + 1)
    const usage = data.usage as Partial<Usage> | undefined
    this.tokens += toNumber(usage?.inputTokens) + toNumber(usage?.outputTokens)
    if (this.#withCalls.size >= MAX_OPEN_CALLS) this.#withCalls.clear()
    if (Array.isArray(data.toolCalls) && data.toolCalls.length > 0) this.#withCalls.add(`${agentId}|${callId}`)
  }

  #learnMessage({ data, agentId, callId = '' }: RunEvent): void {
    // Words that accompany a tool call are no message of their own.
    if (this.#withCalls.delete(`${agentId}|${callId}`) || data.role !== 'assistant') return
    if (Array.isArray(data.content)) this.message = toText(data.content as ContentPart[]).slice(0, TEXT_CHARS)
  }

  #learnStep({ type, stepId, data }: RunEvent): void {
    const status = STEP_STATUS[type]
    if (stepId === undefined || status === undefined) return
    this.stepStatus.set(stepId, status)
    if (status === 'running') this.#tries.set(stepId, (this.#tries.get(stepId) ?? 0) + 1)
    if (status === 'completed') this.stepOutput.set(stepId, toPlain(data.output).slice(0, TEXT_CHARS))
  }

  #learnPlan(plan: Plan | undefined): void {
    if (plan === undefined || !Array.isArray(plan.steps)) return
    this.plan = plan
    this.steps.clear()
    for (const step of plan.steps) this.steps.set(step.id, step)
  }
}

const toNumber = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
const toWord = (value: unknown): string => (typeof value === 'string' ? value : '')
const toPlain = (value: unknown): string => (typeof value === 'string' ? value : toCanonical(value))

function readCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

function readHardBudget(options: unknown): number {
  if (typeof options !== 'object' || options === null || !('budget' in options)) return 0
  const { budget } = options as { budget?: { maxTokens?: unknown } }
  return toNumber(budget?.maxTokens)
}
