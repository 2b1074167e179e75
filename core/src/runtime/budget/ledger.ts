import type { Price } from '../../contracts/model/model.ts'
import type { Reserve, Usage } from '../../contracts/model/usage.ts'
import { addUsage, noUsage } from '../../contracts/model/usage-sum.ts'
import type { Allocation } from '../../contracts/stages/allocation.ts'
import type { RiskLevel } from '../../contracts/words.ts'
import { LimitError } from '../../errors.ts'
import { abortable } from '../../support/abortable.ts'
import { costOf, dearestInput, isPrice, toDollars } from './cost.ts'
import { type PoolSnapshot, SharePool } from './share-pool.ts'

export interface LedgerSettings {
  /** T: at this much spent nothing new starts. */
  softTokens: number
  /** B: never granted beyond. */
  hardTokens: number
  maxCostUsd?: number | undefined
  /** Model calls of the whole run. */
  maxCalls?: number | undefined
}

/** Tokens that one try of one call may take. */
export interface Reservation {
  readonly agentId: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costUsd: number
  readonly price: Price | undefined
}

/** What a settled call changed. */
export interface Settled {
  used: number
  remaining: number
  costUsd: number | null
  /** Thresholds that were passed just now: of the soft budget, or of the share of the agent that is named. */
  passed: { scope: string; ratio: number }[]
}

/** Input estimates are raised by this before they are reserved. */
const INPUT_MARGIN = 1.15
/** Where a provider reports no usage, the estimate is raised by this before it is charged. */
const DOUBT_MARGIN = 1.3
/** Fixed tokens a provider adds around messages. */
const FRAME_TOKENS = 24
/** How the budget stands: what people and tests are shown. */
export interface LedgerSnapshot {
  softTokens: number
  hardTokens: number
  used: number
  reserved: number
  calls: number
  costUsd: number | null
  /** Shares and reserves, once the soft budget is split. */
  pool?: PoolSnapshot
}

/** An answer shorter than this is not worth a call. */
const MIN_OUTPUT_TOKENS = 16
/** Output that each call may have, however many agents are at work; of more it gets its part of what is free. */
export const PLAIN_OUTPUT_TOKENS = 4_096
/** Shares of the soft budget at which people are warned. */
const WARN_AT = [0.7, 0.9]

/**
 * Counts what a run may spend and has spent, for the whole tree of its agents.
 *
 * Two phases: a call reserves the most it can take, and settles at what it took. What is spent and reserved together
 * never exceeds the hard budget, however many agents ask at once.
 */
export class Ledger {
  readonly softTokens: number
  readonly hardTokens: number
  readonly #maxCostUsd: number
  readonly #maxCalls: number
  #limits: Map<string, number> | undefined
  /** What providers reported: shown to people. */
  #usage: Usage = noUsage()
  /** What counts against the budget: never less than svc's own estimate. */
  #charged = 0
  readonly #chargedBy = new Map<string, number>()
  /** Of calls in flight, and of those that a crash has cut off. */
  #reserved = 0
  /** Of those that a crash has cut off: what was charged, and what is reserved beyond it. */
  readonly #cutOff = { charged: 0, reserved: 0 }
  #inFlight = 0
  #reservedBy = new Map<string, number>()
  #costUsd: number | null = 0
  /** What the priced calls cost, by what they were charged: counts against the limit, also after a call without a price. */
  #pricedUsd = 0
  #reservedUsd = 0
  #calls = 0
  #warned = 0
  #pool: SharePool | undefined
  #waiting: (() => void)[] = []

  constructor(settings: LedgerSettings) {
    this.softTokens = settings.softTokens
    this.hardTokens = settings.hardTokens
    this.#maxCostUsd = settings.maxCostUsd ?? Number.POSITIVE_INFINITY
    this.#maxCalls = settings.maxCalls ?? Number.POSITIVE_INFINITY
  }

  /** Takes over how the soft budget is shared out. What was spent before is counted against it. */
  allocate(allocation: Allocation, risk: RiskLevel = 'low'): void {
    this.#pool = new SharePool(allocation, risk)
    for (const [agentId, tokens] of this.#chargedBy) this.#pool.spend(agentId, tokens)
  }

  /** The agents that have a share. */
  get agentIds(): readonly string[] {
    return this.#pool?.agentIds ?? []
  }

  /** Hands a part of what one agent may still take of the soft budget to another one. @returns how many tokens it has got */
  give(from: string, to: string, tokens: number): number {
    return this.#pool?.give(from, to, tokens) ?? tokens
  }

  /** An agent's work is over: what is left of its share may be lent to others. */
  finish(agentId: string): void {
    this.#pool?.finish(agentId)
  }

  /** Sets a hard limit for one agent. */
  limit(agentId: string, tokens: number): void {
    this.#limits ??= new Map()
    this.#limits.set(agentId, tokens)
  }

  /** Whether dollars are limited. */
  get limitsCost(): boolean {
    return Number.isFinite(this.#maxCostUsd)
  }

  /**
   * Sets aside what a try may take. The output is cut to what is left, and a long one to the agent's part of it, so that
   * the answer of one does not keep the others waiting; where calls in flight hold what is missing, it
   * waits for them to settle.
   *
   * @throws LimitError `budget_exhausted` when not even a short answer fits, or a model without a price is asked where
   *   dollars are limited, `max_steps` when all calls are used; the signal's reason when it aborts during the wait
   */
  reserve(
    agentId: string,
    estimatedInput: number,
    wantedOutput: number,
    price: Price | undefined,
    signal: AbortSignal,
  ): Reservation | Promise<Reservation> {
    try {
      return this.#tryReserve(agentId, estimatedInput, wantedOutput, price)
    } catch (thrown) {
      const mayFitLater =
        thrown instanceof LimitError && thrown.code !== 'max_steps' && thrown.details?.scope !== 'price'
      if (this.#inFlight === 0 || !mayFitLater) throw thrown
      const settled = new Promise<void>((resolve) => this.#waiting.push(resolve))
      return abortable(settled, signal).then(() => this.reserve(agentId, estimatedInput, wantedOutput, price, signal))
    }
  }

  #tryReserve(agentId: string, estimatedInput: number, wantedOutput: number, price: Price | undefined): Reservation {
    if (this.#calls >= this.#maxCalls) {
      throw new LimitError('max_steps', `the run has used all of its ${this.#maxCalls} model calls`)
    }
    if (this.limitsCost && !isPrice(price)) throw this.#unpriced(agentId)
    const inputTokens = Math.ceil(estimatedInput * INPUT_MARGIN) + FRAME_TOKENS
    const free = this.remaining(agentId) - inputTokens
    const affordable = this.#affordable(inputTokens, price)
    const part = Math.max(PLAIN_OUTPUT_TOKENS, Math.floor(Math.min(free, affordable) / this.#parts()))
    const outputTokens = Math.min(wantedOutput, part, free, affordable)
    const least = Math.min(MIN_OUTPUT_TOKENS, wantedOutput)
    if (outputTokens < least)
      throw free < least ? this.#outOfTokens(agentId, inputTokens, least) : this.#outOfMoney(agentId)
    const costUsd = price === undefined ? 0 : (inputTokens * dearestInput(price) + outputTokens * price.output) / 1e6
    this.#calls++
    this.#inFlight++
    this.#setAside(agentId, inputTokens + outputTokens, costUsd)
    return { agentId, inputTokens, outputTokens, costUsd, price }
  }

  #setAside(agentId: string, tokens: number, costUsd: number): void {
    this.#reserved += tokens
    this.#reservedBy.set(agentId, (this.#reservedBy.get(agentId) ?? 0) + tokens)
    this.#reservedUsd += costUsd
  }

  /** Over how many agents what is free is spread: those that have a share and are not finished. */
  #parts(): number {
    return Math.max(1, this.#pool?.working ?? 1)
  }

  /** Output tokens that the money is enough for. */
  #affordable(inputTokens: number, price: Price | undefined): number {
    if (price === undefined || !this.limitsCost) return Number.POSITIVE_INFINITY
    const freeUsd = this.#maxCostUsd - this.#pricedUsd - this.#reservedUsd - (inputTokens * dearestInput(price)) / 1e6
    if (price.output > 0) return Math.floor((freeUsd * 1e6) / price.output)
    return freeUsd < 0 ? 0 : Number.POSITIVE_INFINITY
  }

  #outOfTokens(agentId: string, inputTokens: number, outputTokens: number): LimitError {
    const needed = inputTokens + outputTokens
    const isTooSmall = this.used === 0 && this.#reserved === 0 && needed > this.hardTokens
    const { charged, reserved } = this.#cutOff
    const cutOff = charged + reserved === 0 ? '' : `${charged + reserved} set aside for calls that were cut off, `
    const least = Math.ceil((needed * this.softTokens) / this.hardTokens)
    return new LimitError(
      'budget_exhausted',
      isTooSmall
        ? `nothing was spent, since the first call of ${agentId} needs ${needed} tokens, more than the hard budget of ${this.hardTokens}: raise the token budget from ${this.softTokens} to at least ${least}`
        : `the hard budget of ${this.hardTokens} tokens is used up: ${this.used - charged} spent, ${cutOff}${this.#reserved - reserved} in flight, the next call of ${agentId} needs ${inputTokens} and an answer`,
      { details: { scope: 'hard', limit: this.hardTokens, used: this.used } },
    )
  }

  #unpriced(agentId: string): LimitError {
    const limit = toDollars(this.#maxCostUsd)
    return new LimitError(
      'budget_exhausted',
      `the cost limit of ${limit} does not allow the next call of ${agentId}: no price is known for its model. Set the model's price in the config, or leave --max-cost and budget.maxCostUsd out`,
      { details: { scope: 'price', limit: this.#maxCostUsd, used: this.#pricedUsd } },
    )
  }

  #outOfMoney(agentId: string): LimitError {
    const [limit, spent, flying] = [this.#maxCostUsd, this.#pricedUsd, this.#reservedUsd].map(toDollars)
    return new LimitError(
      'budget_exhausted',
      `the cost limit of ${limit} is used up: ${spent} spent, ${flying} in flight, and the next call of ${agentId} costs more than the rest. Raise --max-cost, or budget.maxCostUsd`,
      { details: { scope: 'cost', limit: this.#maxCostUsd, used: this.#pricedUsd } },
    )
  }

  /**
   * Ends a reservation at what the try took.
   *
   * @param estimate svc's own count: a provider that reports less is charged this, so under-reporting cannot exceed the budget
   * @param costUsd null is an unpriced model
   */
  settle(reservation: Reservation, usage: Usage, estimate: Usage, costUsd: number | null): Settled {
    const { agentId } = reservation
    this.#inFlight--
    this.#setAside(agentId, -reservation.inputTokens - reservation.outputTokens, -reservation.costUsd)
    for (const wake of this.#waiting.splice(0)) wake()
    return this.#charge(agentId, usage, estimate, costUsd, reservation.price)
  }

  /** Counts a call that was made before, whose recorded answer is used again, as `settle` did then. */
  charge(agentId: string, usage: Usage, costUsd: number | null, estimate = usage, price?: Price): Settled {
    this.#calls++
    return this.#charge(agentId, usage, estimate, costUsd, price)
  }

  /** Counts a try that a crash has cut off: an answer of usual length as spent, and what more it may have taken as set aside. */
  doubt(agentId: string, { usage, costUsd, moreTokens, moreUsd }: Reserve): void {
    this.charge(agentId, usage, costUsd, noUsage())
    this.#setAside(agentId, moreTokens, moreUsd)
    this.#cutOff.charged += usage.inputTokens + usage.outputTokens
    this.#cutOff.reserved += moreTokens
  }

  #charge(agentId: string, usage: Usage, estimate: Usage, costUsd: number | null, price?: Price): Settled {
    this.#usage = addUsage(this.#usage, usage)
    // What is reported counts, or the estimate where that is larger; an estimate alone may be short of the truth.
    const margin = usage.estimated ? DOUBT_MARGIN : 1
    const inputTokens = atLeast(usage.inputTokens, estimate.inputTokens * margin)
    const outputTokens = atLeast(usage.outputTokens, estimate.outputTokens * margin)
    const charged = inputTokens + outputTokens
    this.#charged += charged
    this.#chargedBy.set(agentId, this.usedBy(agentId) + charged)
    if (usage.inputTokens + usage.outputTokens > 0) {
      this.#costUsd = this.#costUsd === null || costUsd === null ? null : this.#costUsd + costUsd
      this.#pricedUsd += Math.max(costUsd ?? 0, costOf({ ...usage, inputTokens, outputTokens }, price) ?? 0)
    }
    const passed: Settled['passed'] = []
    const spent = this.#pool?.spend(agentId, charged)
    for (const ratio of spent?.passed ?? []) passed.push({ scope: agentId, ratio })
    const ratio = this.used / this.softTokens
    while (this.#warned < WARN_AT.length && ratio >= (WARN_AT[this.#warned] ?? 1)) {
      passed.push({ scope: 'soft', ratio: WARN_AT[this.#warned] ?? 1 })
      this.#warned++
    }
    if (this.#warned === WARN_AT.length && ratio >= 1) {
      passed.push({ scope: 'soft', ratio: 1 })
      this.#warned++
    }
    return { used: this.usedBy(agentId), remaining: this.remaining(agentId), costUsd: this.#costUsd, passed }
  }

  /** Tokens charged so far, input and output together. */
  get used(): number {
    return this.#charged
  }

  /** True when the soft budget is spent. */
  get exhausted(): boolean {
    return this.used >= this.softTokens
  }

  /** US dollars so far; null as soon as one call had no price. */
  get costUsd(): number | null {
    return this.#costUsd
  }

  usedBy(agentId: string): number {
    return this.#chargedBy.get(agentId) ?? 0
  }

  /** Tokens that the agent may still take of the soft budget, borrowing included; unbounded before it is split. */
  available(agentId: string): number {
    return this.#pool?.available(agentId) ?? Number.POSITIVE_INFINITY
  }

  snapshot(): LedgerSnapshot {
    return {
      softTokens: this.softTokens,
      hardTokens: this.hardTokens,
      used: this.#charged,
      reserved: this.#reserved,
      calls: this.#calls,
      costUsd: this.#costUsd,
      ...(this.#pool === undefined ? {} : { pool: this.#pool.snapshot() }),
    }
  }

  /** Tokens that the agent, or the run, may still take before a hard limit. */
  remaining(agentId?: string): number {
    const free = this.hardTokens - this.used - this.#reserved
    const limit = agentId === undefined ? undefined : this.#limits?.get(agentId)
    if (agentId === undefined || limit === undefined) return Math.max(0, free)
    return Math.max(0, Math.min(free, limit - this.usedBy(agentId) - (this.#reservedBy.get(agentId) ?? 0)))
  }

  /** What the providers reported so far. */
  spent(): Usage {
    return { ...this.#usage }
  }
}

function atLeast(reported: number, estimated: number): number {
  return Math.max(reported, Math.ceil(estimated))
}
