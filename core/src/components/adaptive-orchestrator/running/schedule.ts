import { type GraphNode, ranksOf } from '../../../support/graph.ts'

/** Where a node stands: it has not begun, it runs, or it is over, well or badly. */
export type NodeStatus = 'waiting' | 'running' | 'over'

/**
 * Says which node may start, without barriers: as soon as what it depends on is over and fewer than `concurrency` run, the
 * ready one with the longest way to the end first. It knows no time, so that the same code is measured on virtual time and
 * drives real work.
 *
 * @see Graham, Bounds on Multiprocessing Timing Anomalies, 1969: list scheduling; Topcuoglu et al., HEFT, 2002: the rank
 */
export class Schedule<N extends GraphNode> {
  readonly #nodes: readonly N[]
  readonly #concurrency: number
  readonly #ranks: ReadonlyMap<string, number>
  readonly #statusOf: (id: string) => NodeStatus

  /** @param estimateOf forecast of a node's duration, in any unit */
  constructor(
    nodes: readonly N[],
    concurrency: number,
    estimateOf: (node: N) => number,
    statusOf: (id: string) => NodeStatus,
  ) {
    this.#nodes = nodes
    this.#concurrency = concurrency
    this.#ranks = ranksOf(nodes, estimateOf)
    this.#statusOf = statusOf
  }

  /** The nodes that may start now, the most urgent first; none while as many as allowed run. */
  ready(): N[] {
    if (this.#nodes.filter(({ id }) => this.#statusOf(id) === 'running').length >= this.#concurrency) return []
    return this.#nodes
      .filter(
        ({ id, dependsOn }) =>
          this.#statusOf(id) === 'waiting' && dependsOn.every((other) => this.#statusOf(other) === 'over'),
      )
      .sort((a, b) => this.#rankOf(b) - this.#rankOf(a))
  }

  #rankOf({ id }: N): number {
    return this.#ranks.get(id) ?? 0
  }
}

/** A node with the duration that it turns out to have. */
export interface TimedNode extends GraphNode {
  readonly estimate: number
  readonly duration: number
}

export interface SimulatedSchedule {
  /** When the last node ends. */
  makespan: number
  /** No schedule can be shorter: the longest chain, or all work spread evenly over what may run at once. */
  lowerBound: number
  /** When each node starts. */
  starts: Map<string, number>
}

/** Runs a graph on virtual time: how long it takes with so many nodes at once, when estimates are wrong as given. */
export function scheduleDag(nodes: readonly TimedNode[], concurrency: number): SimulatedSchedule {
  const starts = new Map<string, number>()
  const ends = new Map<string, number>()
  let time = 0
  const statusOf = (id: string): NodeStatus => {
    const end = ends.get(id)
    return end === undefined ? 'waiting' : end > time ? 'running' : 'over'
  }
  const schedule = new Schedule(nodes, concurrency, ({ estimate }) => estimate, statusOf)
  for (;;) {
    for (let [node] = schedule.ready(); node !== undefined; [node] = schedule.ready()) {
      starts.set(node.id, time)
      ends.set(node.id, time + node.duration)
    }
    const next = Math.min(...[...ends.values()].filter((end) => end > time))
    if (!Number.isFinite(next)) break
    time = next
  }
  const longestChain = Math.max(0, ...ranksOf(nodes, ({ duration }) => duration).values())
  const work = nodes.reduce((sum, { duration }) => sum + duration, 0)
  return { makespan: time, lowerBound: Math.max(longestChain, work / concurrency), starts }
}
