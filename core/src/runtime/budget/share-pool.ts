import type { Allocation } from '../../contracts/stages/allocation.ts'
import type { RiskLevel } from '../../contracts/words.ts'

/** How the soft budget stands. */
export interface PoolSnapshot {
  agents: { agentId: string; share: number; used: number; left: number; borrowed: number; finished: boolean }[]
  /** What finished agents gave back and nobody has taken. */
  returned: number
  reserves: Allocation['reserves']
  /** Tokens that were taken although nothing was left to lend. */
  short: number
}

/** What spending changed. */
export interface Spent {
  /** Thresholds of the agent's own share that were passed just now: .7, .9, 1. */
  passed: readonly number[]
  /** Tokens for which nothing could be lent. */
  short: number
}

interface Holder {
  readonly share: number
  used: number
  left: number
  borrowed: number
  warned: number
  finished: boolean
}

/** Shares of an agent's own tokens at which it is warned. */
const WARN_AT = [0.7, 0.9, 1]
const NOTHING: readonly number[] = []

type Reserve = keyof Allocation['reserves']

/**
 * Who may take how much of the soft budget, and what is lent to whom.
 *
 * Every agent first uses its share. Beyond it, tokens are lent, in this order: what it gave back itself, what finished
 * agents gave back, contingency, and, where little is at stake, the reserve for reflection. Those who lead use the
 * reserve for coordination before they borrow; so does everyone in a team without a lead. An agent without a share (planner,
 * judge, voter) draws on the reserves that are kept for such work. What is kept for the synthesis and for the last answer
 * is never lent. Shares are soft: what was spent is counted even where nothing was left to lend. First come, first
 * served; no clock, no random number.
 */
export class SharePool {
  readonly #holders = new Map<string, Holder>()
  readonly #leads = new Set<string>()
  /** What finished agents gave back, by who gave it, in the order of their ends. */
  readonly #returned = new Map<string, number>()
  readonly #reserves: Allocation['reserves']
  readonly #orders: Readonly<Record<'lead' | 'member' | 'outsider', readonly (Reserve | 'returned')[]>>
  #short = 0

  /** @param risk of the task: only at `low` the reserve for reflection is lent */
  constructor({ shares, reserves }: Allocation, risk: RiskLevel = 'low') {
    for (const { agentId, tokens } of shares) {
      this.#holders.set(agentId, { share: tokens, used: 0, left: tokens, borrowed: 0, warned: 0, finished: false })
    }
    const leads = shares.filter(({ role }) => role === 'lead')
    for (const { agentId } of leads.length > 0 ? leads : shares) this.#leads.add(agentId)
    this.#reserves = { ...reserves }
    const lent: (Reserve | 'returned')[] =
      risk === 'low' ? ['returned', 'contingency', 'reflection'] : ['returned', 'contingency']
    this.#orders = {
      lead: ['coordination', ...lent],
      member: lent,
      outsider: ['coordination', 'reflection', 'consensus', 'contingency', 'returned'],
    }
  }

  /** The agents that have a share. */
  get agentIds(): readonly string[] {
    return [...this.#holders.keys()]
  }

  /** How many of them are not finished. */
  get working(): number {
    let count = 0
    for (const { finished } of this.#holders.values()) if (!finished) count++
    return count
  }

  /** Counts tokens that an agent took, and lends what its share does not cover. */
  spend(agentId: string, tokens: number): Spent {
    const holder = this.#holders.get(agentId)
    const own = Math.min(tokens, holder?.left ?? 0)
    const rest = tokens - own
    if (holder !== undefined) {
      holder.left -= own
      holder.used += tokens
    }
    const short = rest > 0 ? rest - this.#lend(agentId, rest) : 0
    this.#short += short
    return { passed: holder === undefined ? NOTHING : warn(holder), short }
  }

  /**
   * Hands a part of what one agent may still take to another one, which may be new.
   *
   * @returns how many tokens it has got, at most those that were asked for
   */
  give(from: string, to: string, tokens: number): number {
    const giver = this.#holders.get(from)
    const own = Math.min(tokens, giver?.left ?? 0)
    if (giver !== undefined) giver.left -= own
    const given = own + this.#lend(from, tokens - own)
    const { share = 0, used = 0, left = 0, borrowed = 0 } = this.#holders.get(to) ?? {}
    this.#holders.set(to, { share: share + given, used, left: left + given, borrowed, warned: 0, finished: false })
    return given
  }

  /** The agent's work is over: what it has left is there for others, and for itself should it go on after all. */
  finish(agentId: string): number {
    const holder = this.#holders.get(agentId)
    if (holder === undefined) return 0
    holder.finished = true
    const { left } = holder
    if (left > 0) this.#returned.set(agentId, (this.#returned.get(agentId) ?? 0) + left)
    holder.left = 0
    return left
  }

  /** Tokens that the agent can still take before it falls short: its own, and what would be lent to it. */
  available(agentId: string): number {
    let tokens = this.#holders.get(agentId)?.left ?? 0
    for (const source of this.#orderOf(agentId)) {
      tokens += source === 'returned' ? this.#returnedInAll() : this.#reserves[source]
    }
    return tokens
  }

  snapshot(): PoolSnapshot {
    return {
      agents: [...this.#holders].map(([agentId, { share, used, left, borrowed, finished }]) => ({
        agentId,
        share,
        used,
        left,
        borrowed,
        finished,
      })),
      returned: this.#returnedInAll(),
      reserves: { ...this.#reserves },
      short: this.#short,
    }
  }

  /** @returns how much was lent */
  #lend(agentId: string, need: number): number {
    let open = need
    for (const source of this.#orderOf(agentId)) {
      if (open === 0) break
      if (source === 'returned') open -= this.#takeReturned(agentId, open)
      else {
        const taken = Math.min(open, this.#reserves[source])
        this.#reserves[source] -= taken
        open -= taken
      }
    }
    const holder = this.#holders.get(agentId)
    if (holder !== undefined) holder.borrowed += need - open
    return need - open
  }

  /** Its own first, then the agents that ended first. */
  #takeReturned(agentId: string, need: number): number {
    let open = need
    for (const giver of [agentId, ...this.#returned.keys()]) {
      if (open === 0) break
      const there = this.#returned.get(giver) ?? 0
      const taken = Math.min(open, there)
      if (taken === there) this.#returned.delete(giver)
      else this.#returned.set(giver, there - taken)
      open -= taken
    }
    return need - open
  }

  #returnedInAll(): number {
    let tokens = 0
    for (const returned of this.#returned.values()) tokens += returned
    return tokens
  }

  #orderOf(agentId: string): readonly (Reserve | 'returned')[] {
    if (!this.#holders.has(agentId)) return this.#orders.outsider
    return this.#leads.has(agentId) ? this.#orders.lead : this.#orders.member
  }
}

function warn(holder: Holder): readonly number[] {
  if (holder.share === 0 || holder.warned === WARN_AT.length) return NOTHING
  const ratio = holder.used / holder.share
  const from = holder.warned
  while (holder.warned < WARN_AT.length && ratio >= (WARN_AT[holder.warned] ?? 1)) holder.warned++
  return from === holder.warned ? NOTHING : WARN_AT.slice(from, holder.warned)
}
