import { dependentsOf, type GraphNode, ranksOf } from '../../../support/graph.ts'

/** Where a node stands: it has not begun, it runs, or it is over, well or badly. */
export type NodeStatus = 'waiting' | 'running' | 'over'

/**
 * Says which node may start, without barriers: as soon as what it depends on is over and fewer than `concurrency` run, the
 * ready one with the longest way to the end first. It knows no time, so that the same code is measured on virtual time and
 * drives real work. A start and an end take time by the edges of that node, not by the size of the graph.
 *
 * @see Graham, Bounds on Multiprocessing Timing Anomalies, 1969: list scheduling; Topcuoglu et al., HEFT, 2002: the rank
 */
export class Schedule<N extends GraphNode> {
  readonly #nodes: readonly N[]
  readonly #concurrency: number
  /** The place of each node among all, the most urgent first; ties keep the given order. */
  readonly #places: ReadonlyMap<string, number>
  readonly #dependents: ReadonlyMap<string, readonly N[]>
  readonly #running = new Set<string>()
  /** Of how many nodes each waits for the end. */
  readonly #waitsFor = new Map<string, number>()
  /** Those that wait for nothing more, the most urgent first. */
  #ready: N[] = []

  /** @param estimateOf forecast of a node's duration, in any unit */
  constructor(nodes: readonly N[], concurrency: number, estimateOf: (node: N) => number) {
    const ranks = ranksOf(nodes, estimateOf)
    const rankOf = ({ id }: N): number => ranks.get(id) ?? 0
    this.#nodes = [...nodes].sort((a, b) => rankOf(b) - rankOf(a))
    this.#places = new Map(this.#nodes.map(({ id }, place) => [id, place]))
    this.#concurrency = concurrency
    this.#dependents = dependentsOf(nodes)
    this.reset(() => 'waiting')
  }

  /** Takes in where each node stands. */
  reset(statusOf: (id: string) => NodeStatus): void {
    const statuses = new Map(this.#nodes.map(({ id }) => [id, statusOf(id)]))
    this.#ready = []
    this.#running.clear()
    for (const node of this.#nodes) {
      const { id, dependsOn } = node
      const waitsFor = dependsOn.filter((other) => statuses.get(other) !== 'over').length
      this.#waitsFor.set(id, waitsFor)
      if (statuses.get(id) === 'running') this.#running.add(id)
      else if (statuses.get(id) === 'waiting' && waitsFor === 0) this.#ready.push(node)
    }
  }

  /** The nodes that may start now, the most urgent first; none while as many as allowed run. */
  ready(): readonly N[] {
    return this.#running.size < this.#concurrency ? this.#ready : []
  }

  /** A node starts. One that is not of the graph is ignored. */
  start(id: string): void {
    const index = this.#ready.findIndex((node) => node.id === id)
    if (index === -1) return
    this.#ready.splice(index, 1)
    this.#running.add(id)
  }

  /** A node that has started is over. */
  end(id: string): void {
    if (!this.#running.delete(id)) return
    for (const node of this.#dependents.get(id) ?? []) {
      const waitsFor = (this.#waitsFor.get(node.id) ?? 0) - 1
      this.#waitsFor.set(node.id, waitsFor)
      if (waitsFor === 0) this.#ready.splice(this.#indexOf(node), 0, node)
    }
  }

  /** Where a node stands among those that are ready, or would. */
  #indexOf(node: N): number {
    let [low, high] = [0, this.#ready.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#placeOf(this.#ready[middle]) < this.#placeOf(node)) low = middle + 1
      else high = middle
    }
    return low
  }

  #placeOf(node: N | undefined): number {
    return this.#places.get(node?.id ?? '') ?? Number.POSITIVE_INFINITY
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
  const running = new Map<string, number>()
  const schedule = new Schedule(nodes, concurrency, ({ estimate }) => estimate)
  let time = 0
  for (;;) {
    for (let [node] = schedule.ready(); node !== undefined; [node] = schedule.ready()) {
      schedule.start(node.id)
      starts.set(node.id, time)
      running.set(node.id, time + node.duration)
    }
    if (running.size === 0) break
    time = Math.min(...running.values())
    for (const [id, end] of running) {
      if (end > time) continue
      running.delete(id)
      schedule.end(id)
    }
  }
  const longestChain = Math.max(0, ...ranksOf(nodes, ({ duration }) => duration).values())
  const work = nodes.reduce((sum, { duration }) => sum + duration, 0)
  return { makespan: time, lowerBound: Math.max(longestChain, work / concurrency), starts }
}
