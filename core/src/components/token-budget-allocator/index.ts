import { DEFAULT_TOKEN_BUDGET } from '../../contracts/config.ts'
import type { Allocation } from '../../contracts/stages/allocation.ts'
import { isTopology, type RiskLevel, TOPOLOGIES, type Topology, type TopologyName } from '../../contracts/words.ts'
import { UsageError, ValidationError } from '../../errors.ts'
import {
  type AgentShareInput,
  CONSENSUS,
  COORDINATION,
  divide,
  FINAL_INPUT,
  FINAL_OUTPUT,
  REFLECTION,
  SYNTHESIS,
  toRole,
  toWeight,
} from './split.ts'

export type { AgentShareInput } from './split.ts'

export interface TokenBudgetAllocatorOptions {
  /** Soft budget in tokens where a call names none. Default 64000. */
  baseBudget?: number
  /** Fewest tokens with which an agent is worth starting, and the smallest budget of all. Default 1024. */
  minShare?: number
}

export interface AllocateOptions {
  /** Soft budget in tokens, input and output together. Default the allocator's `baseBudget`. */
  total?: number
  /** Default `low`. The risk decides how much is kept back for votes. */
  risk?: RiskLevel
  /** What is known of the agents, by slot; fewer than there are slots is fine. */
  agents?: readonly AgentShareInput[]
}

const MIN_SHARE = 1024
const MOST_AGENTS = 1000
const MOST_TOKENS = 1_000_000_000_000
const MOST_WEIGHT = 1_000_000_000
/** At most this share of what the fixed reserves leave is kept for the last calls. */
const MOST_FINAL = 0.25

/**
 * How many tokens may each agent take, and what is kept back?
 *
 * The harder the task, the more goes to the workers at once; what is left is contingency, lent on demand.
 * Always: shares and reserves add up to the total, to the token; nothing is negative; every share is at least
 * `minShare` unless `underfunded`. For one topology and number of shares: a share never falls when the total, the score
 * or its own weight grows, never rises with the risk, follows the order of the weights, and does not depend on the
 * order of the agents. Weights: role × (.25 + complexity) × .9^phase, after Lin et al., Plan and Budget, 2025
 * (arXiv 2505.16122). Reads no clock and no random number.
 */
export class TokenBudgetAllocator {
  readonly #baseBudget: number
  readonly #minShare: number

  /** @throws ValidationError `validation_failed` unless both are whole numbers of at least 1 */
  constructor({ baseBudget = DEFAULT_TOKEN_BUDGET, minShare = MIN_SHARE }: TokenBudgetAllocatorOptions = {}) {
    checkTokens('baseBudget', baseBudget)
    checkTokens('minShare', minShare)
    this.#baseBudget = baseBudget
    this.#minShare = minShare
  }

  /**
   * Splits a budget among the slots `agent-1` ... `agent-n`; `agent-1` leads in CENTRALIZED and HYBRID.
   *
   * A team whose shares would fall below the minimum is made smaller, down to one agent: then the answer's topology is
   * SINGLE, `underfunded` is true and the explanation says so. A team of one is SINGLE.
   *
   * @param score how hard the task is, in [0, 1]
   * @param count agents, 1 to 1000
   * @throws ValidationError `validation_failed` naming the argument; UsageError `budget_too_small` when the total is
   *   below `minShare`, with which no agent can work
   */
  allocate(
    topology: TopologyName,
    score: number,
    count: number,
    { total = this.#baseBudget, risk = 'low', agents = [] }: AllocateOptions = {},
  ): Allocation {
    if (!isTopology(topology)) throw invalid(`topology must be one of ${TOPOLOGIES.join(', ')}, not "${topology}"`)
    check(score, count, risk, agents)
    checkTokens('total', total)
    if (total < this.#minShare) {
      throw new UsageError(
        'budget_too_small',
        `a budget of ${total} tokens is too small: one agent needs at least ${this.#minShare}, and more where its first call has tools; raise the token budget`,
      )
    }
    const slots = topology === 'SINGLE' ? 1 : count
    const kind = slots === 1 ? 'SINGLE' : topology
    const explanation =
      kind !== topology
        ? [`One agent is no ${topology} team, so it works alone.`]
        : slots < count
          ? ['SINGLE is one agent, whatever number was asked for.']
          : []
    const asked: SplitInput = { topology: kind, score, count: slots, total, risk, agents }
    const envelope = toEnvelope(asked, this.#minShare)
    if (kind === 'SINGLE' || envelope >= slots * this.#minShare) {
      return this.#split(asked, envelope < slots * this.#minShare, explanation)
    }
    const affordable = Math.floor(envelope / this.#minShare)
    explanation.push(
      `${total} tokens leave ${envelope} for ${slots} agents, less than ${this.#minShare} for each, so ` +
        `${affordable <= 1 ? 'one agent works alone' : `the team has ${affordable}`}.`,
    )
    const smaller: SplitInput =
      affordable <= 1 ? { ...asked, topology: 'SINGLE', count: 1 } : { ...asked, count: affordable }
    return this.#split(smaller, true, explanation)
  }

  #split(request: SplitInput, underfunded: boolean, explanation: string[]): Allocation {
    const { topology, count, total, risk, agents } = request
    const minimum = this.#minShare
    const envelope = toEnvelope(request, minimum)
    const roles: string[] = []
    const weights: number[] = []
    for (let slot = 0; slot < count; slot++) {
      const agent = agents[slot] ?? {}
      const role = agent.role ?? toRole(topology, slot, count)
      roles.push(role)
      weights.push(toWeight(topology, role, agent, slot))
    }
    const base = envelope < count * minimum ? Math.floor(envelope / count) : minimum
    const extra = divide(base < minimum ? 0 : envelope - count * minimum, weights)
    const shares = roles.map((role, slot) => ({
      agentId: `agent-${slot + 1}`,
      role,
      tokens: base + (extra[slot] ?? 0),
    }))
    const kept = toHundredths(topology, risk)
    const reserves = {
      coordination: Math.floor((total * kept.coordination) / 100),
      synthesis: Math.floor((total * kept.synthesis) / 100),
      reflection: Math.floor((total * kept.reflection) / 100),
      consensus: Math.floor((total * kept.consensus) / 100),
      final: toFinal(request, minimum),
      contingency: 0,
    }
    const handedOut = shares.reduce((sum, { tokens }) => sum + tokens, 0)
    reserves.contingency = Object.values(reserves).reduce((rest, tokens) => rest - tokens, total - handedOut)
    return {
      total,
      topology,
      shares,
      reserves,
      underfunded,
      explanation: [...explanation, ...explain(request, handedOut, reserves)],
    }
  }
}

/** The arguments of a split with the defaults filled in. */
interface SplitInput {
  topology: Topology
  score: number
  count: number
  total: number
  risk: RiskLevel
  agents: readonly AgentShareInput[]
}

const toHundredths = (topology: Topology, risk: RiskLevel) => ({
  coordination: COORDINATION[topology],
  synthesis: SYNTHESIS[topology],
  reflection: REFLECTION,
  consensus: CONSENSUS[risk],
})

/** What the fixed reserves leave, not yet rounded, so that it grows with the total. */
function toOpen({ topology, risk, total }: SplitInput): number {
  const { coordination, synthesis, reflection, consensus } = toHundredths(topology, risk)
  return (total * (100 - coordination - synthesis - reflection - consensus)) / 100
}

/**
 * For the last calls: first from what the workers would not get, then from the workers, but never below their minimum,
 * and never more than a quarter of what the fixed reserves leave, so that a small budget goes into the work.
 */
const toFinal = (request: SplitInput, minimum: number): number => {
  const open = Math.floor(toOpen(request))
  return Math.min(
    request.count * (FINAL_INPUT + FINAL_OUTPUT),
    Math.floor(open * MOST_FINAL),
    Math.max(0, open - request.count * minimum),
  )
}

/** What the workers get together: more of what is open, the harder the task. */
const toEnvelope = (request: SplitInput, minimum: number): number =>
  Math.min(
    Math.floor(toOpen(request) * (0.55 + 0.45 * request.score)),
    Math.floor(toOpen(request)) - toFinal(request, minimum),
  )

function explain(
  { topology, score, count, total, risk }: SplitInput,
  handedOut: number,
  reserves: Allocation['reserves'],
): string[] {
  const sentences = [
    `${count === 1 ? 'The agent gets' : `The ${count} agents get`} ${handedOut} of ${total} tokens: ` +
      `${topology} at a score of ${score.toFixed(2)} and ${risk} risk.`,
    `${reserves.final} are kept for a last answer, ${reserves.reflection} for reflection, ${reserves.contingency} are lent on demand.`,
  ]
  if (reserves.coordination > 0) {
    sentences.push(
      `${reserves.coordination} are kept for coordination and ${reserves.synthesis} for putting the answer together.`,
    )
  }
  if (reserves.consensus > 0) sentences.push(`${reserves.consensus} are kept for votes.`)
  return sentences
}

const invalid = (message: string): ValidationError => new ValidationError('validation_failed', message)

function checkTokens(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1 || value > MOST_TOKENS) {
    throw invalid(`${name} must be a whole number of tokens from 1 to ${MOST_TOKENS}, not ${value}`)
  }
}

function check(score: number, count: number, risk: RiskLevel, agents: readonly AgentShareInput[]): void {
  if (!(score >= 0 && score <= 1)) throw invalid(`score must lie between 0 and 1, not ${score}`)
  if (!Number.isInteger(count) || count < 1 || count > MOST_AGENTS) {
    throw invalid(`the number of agents must be a whole number from 1 to ${MOST_AGENTS}, not ${count}`)
  }
  if (!Object.hasOwn(CONSENSUS, risk)) {
    throw invalid(`risk must be one of ${Object.keys(CONSENSUS).join(', ')}, not "${risk}"`)
  }
  agents.forEach(({ complexity, level, weight }, slot) => {
    const at = `agents[${slot}]`
    if (complexity !== undefined && !(complexity >= 0 && complexity <= 1)) {
      throw invalid(`${at}.complexity must lie between 0 and 1, not ${complexity}`)
    }
    if (level !== undefined && !(Number.isInteger(level) && level >= 0)) {
      throw invalid(`${at}.level must be a whole number of at least 0, not ${level}`)
    }
    if (weight !== undefined && !(weight >= 0 && weight <= MOST_WEIGHT)) {
      throw invalid(`${at}.weight must lie between 0 and ${MOST_WEIGHT}, not ${weight}`)
    }
  })
}
