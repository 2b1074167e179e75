import { BASE, type Cell } from '@svc/sdk/experiment'
import { groupBy, mean } from '../lib/bootstrap.ts'

/**
 * For each set of tasks and each arm, as a table: means of a run, tasks whose score is another than that of the base, and
 * runs that did not complete.
 *
 * @param setOf the set by the id of a task
 */
export function toSetTable(cells: readonly Cell[], setOf: ReadonlyMap<string, string>): string {
  const groups = groupBy(cells, ({ task }) => setOf.get(task) ?? '')
  const lines = ['set, arm | quality | tokens | model calls | tool calls | score differs | not completed | topologies']
  for (const [set, all] of groups) {
    const base = new Map(all.filter(({ arm }) => arm === BASE).map((cell) => [cell.task, cell]))
    for (const [arm, own] of groupBy(all, (cell) => cell.arm)) {
      const of = (figure: (cell: Cell) => number, digits: number): string => mean(own.map(figure)).toFixed(digits)
      const differing = own.filter(({ task, score }) => score !== base.get(task)?.score).length
      const topologies = groupBy(own, ({ topology }) => topology ?? 'none')
      lines.push(
        [
          `${set}, ${arm}`,
          of(({ score }) => score, 4),
          of((cell) => cell.inputTokens + cell.outputTokens, 0),
          of(({ modelCalls }) => modelCalls, 2),
          of(({ toolCalls }) => toolCalls, 2),
          `${differing} of ${own.length}`,
          own.filter(({ status }) => status !== 'completed').length,
          [...topologies].map(([name, { length }]) => `${name} ${length}`).join(', '),
        ].join(' | '),
      )
    }
  }
  return lines.join('\n')
}
