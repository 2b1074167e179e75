import {
  type Allocation,
  definePlugin,
  SvcError,
  TOPOLOGIES,
  TokenBudgetAllocator,
  type Topology,
  type TopologyName,
  toTopology,
  UsageError,
  ValidationError,
} from '@svc/core'

export interface AllocateOptions {
  /** Who answers. Default: a new `TokenBudgetAllocator` with the config's `tokenBudget`, or 64000. */
  allocator?: Pick<TokenBudgetAllocator, 'allocate'>
}

/** Agents of a team that was asked for without saying how many: enough for the topology to be itself. */
const TEAM_SIZE: Readonly<Record<Topology, number>> = {
  SINGLE: 1,
  SEQUENTIAL: 2,
  PARALLEL: 2,
  CENTRALIZED: 3,
  DECENTRALIZED: 3,
  HYBRID: 3,
}

/**
 * Answers `allocate`: how many tokens may each agent take, and what is kept back?
 *
 * The topology is the run's, unless it says AUTO or nothing: then the recommended one. As many agents as the run names,
 * else as the analysis wants, and enough for the topology to be itself; one of a plugin's own is shared out as PARALLEL is.
 * Leaves an earlier answer alone.
 */
export const allocate = definePlugin('allocate', ({ hooks, config, topologies }, options: AllocateOptions) => {
  const allocator = options.allocator ?? new TokenBudgetAllocator()
  hooks.allocate.tap('allocate', (answer, { task, complexity }, run) => {
    if (answer !== undefined) return answer
    const forced = toForcedTopology(run.options.topology, topologies.ids())
    const asked = forced ?? complexity.recommendedTopology
    const own = topologies.get(asked)
    const topology = own === undefined ? (asked as Topology) : 'PARALLEL'
    const total = run.options.tokenBudget ?? config.tokenBudget
    const risk = task.riskLevel ?? run.options.riskLevel
    const named = run.options.agents?.length ?? 0
    // One named agent works alone, unless a team was asked for by name: then the one fills several slots.
    const isNamed = named > 1 || (named === 1 && forced === undefined)
    const wanted = own === undefined ? Math.max(complexity.agents, TEAM_SIZE[topology]) : complexity.agents
    const count = own?.agents ?? (isNamed ? named : wanted)
    const split = (tokens: number | undefined): Allocation =>
      allocator.allocate(topology, complexity.score, count, {
        ...(tokens === undefined ? {} : { total: tokens }),
        ...(risk === undefined ? {} : { risk }),
      })
    if (own !== undefined) return { ...split(total), topology: asked }
    if (forced !== undefined && forced !== 'SINGLE') {
      const given = Math.min(total ?? split(undefined).total, run.budget.remaining())
      requireTeam(topology, Math.min(count, TEAM_SIZE[topology]), given, split)
    }
    return split(total)
  })
})

const MOST_TOKENS = 1_000_000_000_000

/**
 * Refuses a budget with which the team that was asked for would be another one.
 *
 * @param size fewest agents with which the topology is itself
 * @throws UsageError `budget_too_small` naming the budget needed and the budget given
 */
function requireTeam(topology: Topology, size: number, given: number, split: (tokens: number) => Allocation): void {
  const fits = (tokens: number): boolean => {
    try {
      const allocation = split(tokens)
      return allocation.topology === topology && allocation.shares.length >= size
    } catch (thrown) {
      if (SvcError.isInstance(thrown) && thrown.code === 'budget_too_small') return false
      throw thrown
    }
  }
  if (fits(given)) return
  let [low, high] = [given, MOST_TOKENS]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (fits(middle)) high = middle
    else low = middle
  }
  throw new UsageError(
    'budget_too_small',
    `a ${topology} team of ${size} agents needs a budget of at least ${high} tokens for this task, and ${given} are given: raise the budget, or leave the topology to svc (AUTO)`,
  )
}

function toForcedTopology(word: string | undefined, own: readonly string[]): TopologyName | undefined {
  if (word === undefined) return undefined
  const topology = toTopology(word, own)
  if (topology === undefined) {
    throw new ValidationError(
      'validation_failed',
      `options.topology "${word}" is unknown: use AUTO, ${[...TOPOLOGIES, ...own].join(', ')}`,
    )
  }
  return topology === 'AUTO' ? undefined : topology
}
