import type { RunEvent } from '@svc/core'
import { toWorld } from './play-case.ts'
import type { TruthCase } from './truth-case.ts'

const FIGURE = /(?<![\w.,/:-])\d{2,7}(?:\.\d{1,4})?(?![\w/:-]|[.,]\d)/g

/**
 * A true answer with one figure changed that a tool had returned: the first whose neighbour no tool returned and the task
 * does not name. Undefined where there is none.
 */
export function perturb(given: TruthCase, events: readonly RunEvent[]): string | undefined {
  const { task, answer } = toWorld(given)
  const seen = events.flatMap((event) => (event.type === 'tool.completed' ? [event.data.result] : [])).join('\n')
  const known = new Set(`${task}\n${seen}\n${answer}`.match(/\d+(?:\.\d+)?/g))
  const returned = new Set(seen.match(/\d+(?:\.\d+)?/g))
  for (const { 0: figure, index } of answer.matchAll(FIGURE)) {
    if (!returned.has(figure)) continue
    for (const step of [3, 7, 11, 17]) {
      const decimals = figure.split('.')[1]?.length ?? 0
      const other = (Number(figure) + step / 10 ** decimals).toFixed(decimals)
      if (!known.has(other)) return answer.slice(0, index) + other + answer.slice(index + figure.length)
    }
  }
  return undefined
}
