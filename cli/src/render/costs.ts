import type { RunCosts } from '@svc/core'
import { toCount } from './run/run.ts'
import { renderTable } from './table.ts'

/** What runs took as a table, with a line for all of it. */
export function renderCosts({ per, by, data }: RunCosts, columns: number): string {
  const costOf = (costUsd: number | null, unpriced: number): string =>
    [
      ...(costUsd === null ? [] : [`$${costUsd.toFixed(4)}`]),
      ...(unpriced === 0 ? [] : [`${costUsd === null ? '' : '+ '}${unpriced} unpriced`]),
    ].join(' ')
  const sum = { runs: 0, tokens: 0, costUsd: null as number | null, unpriced: 0 }
  for (const { runs, tokens, costUsd, unpriced } of data) {
    sum.runs += runs
    sum.tokens += tokens
    if (costUsd !== null) sum.costUsd = (sum.costUsd ?? 0) + costUsd
    sum.unpriced += unpriced
  }
  const figures = ({ runs, tokens, costUsd, unpriced }: typeof sum): string[] => [
    toCount(tokens),
    costOf(costUsd, unpriced),
    String(runs),
  ]
  const rows = data.map((figure) => [figure.start, ...figures(figure), figure.name === '' ? '(none)' : figure.name])
  // A run that used two models is one run of each.
  const [tokens = '', cost = ''] = figures(sum)
  return renderTable([per, 'tokens', 'cost', 'runs', by], [...rows, ['all', tokens, cost, '', '']], columns)
}
