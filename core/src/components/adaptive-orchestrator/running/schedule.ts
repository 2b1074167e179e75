import { dependentsOf, type GraphNode, ranksOf } from '../../../support/graph.ts'

export interface ScheduleOptions<N extends GraphNode> {
  /** How many nodes may run at once. */
  concurrency: number
  /** Forecast of a node's duration, in any unit. */
  estimateOf: (node: N) => number
  /** Nodes of one lane share a limit of their own, such as the agent that does them; asked anew each time. Default: no lanes. */
  laneOf?: (node: N) => string
  /** How many nodes of a lane may run at once. Default: no limit. */
  laneLimitOf?: (lane: string) => number
}

/**
 * Says which step may start, without barriers: as soon as what it depends on is done and fewer than `concurrency` run, the
 * ready step with the longest way to the end first. Pure bookkeeping: it knows no time, so that the same code is measured
 * on virtual time and drives real work.
 *
 * @see Graham, Bounds on Multiprocessing Timing Anomalies, 1969: list scheduling; Topcuoglu et al., HEFT, 2002: the rank
 */
export class Schedule<N extends GraphNode> {
  readonly #options: ScheduleOptions<N>
  readonly #nodes: ReadonlyMap<string, N>
  readonly #dependents: ReadonlyMap<string, readonly N[]>
  readonly #ranks: ReadonlyMap<string, number>
  readonly #waitsFor: Map<string, number>
  readonly #ready: N[]
  readonly #running = new Set<string>()
  readonly #ended = new Set<string>()
  readonly #laneLoad = new Map<string, number>()
  /** The lane that each running node was taken in: it may get another lane later. */
  readonly #lanes = new Map<string, string>()

  constructor(nodes: readonly N[], options: ScheduleOptions<N>) {
    this.#options = options
    this.#nodes = new Map(nodes.map((node) => [node.id, node]))
    this.#dependents = dependentsOf(nodes)
    this.#ranks = ranksOf(nodes, options.estimateOf)
    this.#waitsFor = new Map(nodes.map(({ id, dependsOn }) => [id, new Set(dependsOn).size]))
    this.#ready = nodes.filter(({ id }) => this.#waitsFor.get(id) === 0)
  }

  /** How many nodes of a lane run. */
  loadOf(lane: string): number {
    return this.#laneLoad.get(lane) ?? 0
  }

  /** Nodes that could start if their lane were not full, those with the shortest way to the end first. */
  blocked(): N[] {
    if (this.#running.size >= this.#options.concurrency) return []
    return this.#ready.filter((node) => !this.#hasLane(node)).sort((a, b) => this.#rankOf(a) - this.#rankOf(b))
  }

  /** Takes the next node to start, or `undefined` when none is ready or as many as allowed run. */
  take(): N | undefined {
    if (this.#running.size >= this.#options.concurrency) return undefined
    let best = -1
    for (const [index, node] of this.#ready.entries()) {
      if (!this.#hasLane(node)) continue
      if (best === -1 || this.#rankOf(node) > this.#rankOf(this.#ready[best] as N)) best = index
    }
    if (best === -1) return undefined
    const [node] = this.#ready.splice(best, 1)
    if (node === undefined) return undefined
    this.#running.add(node.id)
    const lane = this.#options.laneOf?.(node)
    if (lane !== undefined) {
      this.#lanes.set(node.id, lane)
      this.#load(lane, 1)
    }
    return node
  }

  /** A node that was taken has ended, well or badly. Nodes that waited only for it become ready. */
  end(id: string): void {
    const node = this.#nodes.get(id)
    if (node === undefined || !this.#running.delete(id)) return
    this.#ended.add(id)
    const lane = this.#lanes.get(id)
    if (lane !== undefined) this.#load(lane, -1)
    for (const dependent of new Set(this.#dependents.get(id))) {
      const left = (this.#waitsFor.get(dependent.id) ?? 0) - 1
      this.#waitsFor.set(dependent.id, left)
      if (left === 0) this.#ready.push(dependent)
    }
  }

  /** Puts nodes back that have ended or have not started, to be taken again once what they depend on has ended again. */
  reopen(ids: ReadonlySet<string>): void {
    for (const id of ids) this.#ended.delete(id)
    for (const node of this.#nodes.values()) {
      if (this.#ended.has(node.id) || this.#running.has(node.id)) continue
      const waitsFor = new Set(node.dependsOn.filter((id) => this.#nodes.has(id) && !this.#ended.has(id))).size
      this.#waitsFor.set(node.id, waitsFor)
      const index = this.#ready.indexOf(node)
      if (waitsFor === 0 && index === -1) this.#ready.push(node)
      if (waitsFor > 0 && index !== -1) this.#ready.splice(index, 1)
    }
  }

  #rankOf(node: N): number {
    return this.#ranks.get(node.id) ?? 0
  }

  #hasLane(node: N): boolean {
    const { laneOf, laneLimitOf } = this.#options
    if (laneOf === undefined || laneLimitOf === undefined) return true
    const lane = laneOf(node)
    return this.loadOf(lane) < laneLimitOf(lane)
  }

  #load(lane: string, change: number): void {
    this.#laneLoad.set(lane, this.loadOf(lane) + change)
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
  const schedule = new Schedule(nodes, { concurrency, estimateOf: ({ estimate }) => estimate })
  const starts = new Map<string, number>()
  let running: { id: string; end: number }[] = []
  let time = 0
  for (;;) {
    for (let node = schedule.take(); node !== undefined; node = schedule.take()) {
      starts.set(node.id, time)
      running.push({ id: node.id, end: time + node.duration })
    }
    if (running.length === 0) break
    time = Math.min(...running.map(({ end }) => end))
    for (const { id, end } of running) if (end <= time) schedule.end(id)
    running = running.filter(({ end }) => end > time)
  }
  const longestChain = Math.max(0, ...ranksOf(nodes, ({ duration }) => duration).values())
  const work = nodes.reduce((sum, { duration }) => sum + duration, 0)
  return { makespan: time, lowerBound: Math.max(longestChain, work / concurrency), starts }
}
