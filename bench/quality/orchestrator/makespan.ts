import type { TimedNode } from '@svc/core'
import { scheduleDag } from '@svc/core/components'
import { bootstrap, mean, seeded } from '../lib/bootstrap.ts'
import type { Row } from '../lib/row.ts'

const GRAPHS = 3_000
const SETTINGS = [
  { limits: [3, 4], aim: 1.03 },
  { limits: [8], aim: null },
] as const

/**
 * 8 to 30 nodes, each waiting for each of the earlier ones with the same chance, between .02 and .3 a graph; log-normal
 * durations (sigma 1); estimates off by a factor e^(.7 N).
 */
function randomGraph(random: () => number): TimedNode[] {
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const chance = 0.02 + 0.28 * random()
  return Array.from({ length: 8 + Math.floor(23 * random()) }, (_, index) => {
    const duration = Math.exp(normal())
    return {
      id: `n${index}`,
      dependsOn: Array.from({ length: index }, (_, other) => `n${other}`).filter(() => random() < chance),
      duration,
      estimate: duration * Math.exp(0.7 * normal()),
    }
  })
}

/** Nodes start in the order in which they became ready. */
function firstInFirstOut(nodes: readonly TimedNode[], concurrency: number): number {
  const ends = new Map<string, number>()
  const free = Array.from({ length: concurrency }, () => 0)
  const waiting = [...nodes]
  while (waiting.length > 0) {
    let next = -1
    let readyAt = Number.POSITIVE_INFINITY
    for (const [index, { dependsOn }] of waiting.entries()) {
      const ready = Math.max(0, ...dependsOn.map((on) => ends.get(on) ?? Number.POSITIVE_INFINITY))
      if (ready < readyAt) [next, readyAt] = [index, ready]
    }
    const [node] = waiting.splice(next, 1)
    if (node === undefined) break
    free.sort((a, b) => a - b)
    const end = Math.max(readyAt, free[0] ?? 0) + node.duration
    free[0] = end
    ends.set(node.id, end)
  }
  return Math.max(...ends.values())
}

/** All nodes of one level, spread over what may run at once as they come, before any of the next. */
function levelBarrier(nodes: readonly TimedNode[], concurrency: number): number {
  const levels = new Map<string, number>()
  for (const { id, dependsOn } of nodes) {
    levels.set(id, 1 + Math.max(-1, ...dependsOn.map((on) => levels.get(on) ?? 0)))
  }
  let time = 0
  for (let level = 0; level <= Math.max(...levels.values()); level++) {
    const free = Array.from({ length: concurrency }, () => 0)
    for (const { id, duration } of nodes) {
      if (levels.get(id) !== level) continue
      free.sort((a, b) => a - b)
      free[0] = (free[0] ?? 0) + duration
    }
    time += Math.max(...free)
  }
  return time
}

export function measureMakespan(): Row[] {
  return SETTINGS.map(({ limits, aim }) => {
    const random = seeded(20_251)
    const ratios = Array.from({ length: GRAPHS }, (_, index) => {
      const nodes = randomGraph(random)
      const concurrency = limits[index % limits.length] ?? 4
      const { makespan, lowerBound } = scheduleDag(nodes, concurrency)
      return {
        ours: makespan / lowerBound,
        fifo: firstInFirstOut(nodes, concurrency) / lowerBound,
        barrier: levelBarrier(nodes, concurrency) / lowerBound,
      }
    })
    const value = mean(ratios.map(({ ours }) => ours))
    const fifo = mean(ratios.map((ratio) => ratio.fifo))
    return {
      component: 'orchestrator',
      measure: `makespan over lower bound, random graphs, ${limits.join(' and ')} at once`,
      n: GRAPHS,
      baseline: mean(ratios.map(({ barrier }) => barrier)),
      value,
      ...bootstrap(ratios, (sample) => mean(sample.map(({ ours }) => ours)), { samples: 500 }),
      aim,
      better: 'less' as const,
      note: `baseline: a barrier after each level; first in, first out: ${fifo.toFixed(3)}. 8-30 nodes, an edge from each earlier node with chance .02-.3, durations log-normal (sigma 1), estimates off by e^(.7 N); the bound is the larger of the longest chain and the work over what may run at once, which no schedule need reach`,
    }
  })
}
