import type { ArmDesign, Cell, ExperimentDesign } from '../run/record.ts'
import { estimate, quantile, toClusters } from '../statistics/index.ts'
import type { ArmReport } from './experiment-report.ts'
import { type CellTable, failedOutside, isReplayed, mean, meanOf, tokensOf } from './pair-tasks.ts'

/** What one arm did, by itself. Runs that failed outside count in `outside` and `failures` alone. */
export function summariseArm(design: ExperimentDesign, arm: ArmDesign, table: CellTable): ArmReport {
  const all = table.ofArm(arm.id)
  const cells = all.filter((cell) => !failedOutside(cell))
  const tasks = design.tasks.flatMap(({ id, family }) => {
    const scores = table.of(arm.id, id).filter((cell) => !failedOutside(cell))
    return scores.length === 0 ? [] : [{ family, above: meanOf(scores, ({ score }) => score), below: 1 }]
  })
  const quality = estimate(toClusters(tasks), { of: 'share' })
  const latencies = Float64Array.from(cells, ({ latencyMs }) => latencyMs).sort()
  const costs = cells.flatMap(({ costUsd }) => costUsd ?? [])
  const tokens = meanOf(cells, tokensOf)
  const successRate = meanOf(cells, ({ status, score }) => Number(status === 'completed' && score >= design.passMark))
  const failed = all.filter(hasFailed).length
  return {
    ...arm,
    runs: cells.length,
    failed: { runs: failed, share: all.length === 0 ? 0 : failed / all.length },
    quality,
    successRate,
    inputTokens: meanOf(cells, ({ inputTokens }) => inputTokens),
    outputTokens: meanOf(cells, ({ outputTokens }) => outputTokens),
    cachedTokens: meanOf(cells, ({ cachedTokens }) => cachedTokens),
    tokens,
    estimated: cells.some(({ estimated }) => estimated),
    costUsd: costs.length === cells.length && costs.length > 0 ? mean(costs) : null,
    latencyP50Ms: isReplayed(cells) ? null : quantile(latencies, 0.5),
    latencyP95Ms: isReplayed(cells) ? null : quantile(latencies, 0.95),
    modelCalls: meanOf(cells, ({ modelCalls }) => modelCalls),
    toolCalls: meanOf(cells, ({ toolCalls }) => toolCalls),
    setup: toSetup(cells),
    successPer1kTokens: tokens > 0 ? (1000 * successRate) / tokens : null,
    e3: tokens > 0 ? (1000 * quality.value ** 2) / tokens : null,
    failures: count(all.filter(({ status }) => status !== 'completed').map(describeFailure)),
    issues: count(cells.flatMap(({ issues }) => [...new Set(issues)])),
    outside: all.length - cells.length,
  }
}

function toSetup(cells: readonly Cell[]): ArmReport['setup'] {
  const turns = cells.flatMap(({ setup }) => setup ?? [])
  if (turns.length === 0) return null
  const costs = turns.flatMap(({ costUsd }) => costUsd ?? [])
  return {
    tokens: mean(turns.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens)),
    costUsd: costs.length === turns.length ? mean(costs) : null,
  }
}

/** Whether a run gave no answer that counts, but for those that a person stopped. */
const hasFailed = ({ status, outside }: Cell): boolean =>
  status === 'failed' || (outside === true && status !== 'cancelled')

const describeFailure = ({ status, error }: Cell): string => (error === undefined ? status : `${status}: ${error.code}`)

/** How often each text occurs, the most frequent first. */
function count(texts: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)))
}
