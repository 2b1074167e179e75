import { type RunEvent, RunView } from '@svc/core'
import { CostUsd, IsoTime, Usage, UsageTotal } from '@svc/core/schema'
import type { Static } from 'typebox'
import * as Type from 'typebox'

const Share = { usage: Usage, costUsd: CostUsd }

/** What a run has used, over time and by who used it. */
export const RunUsage = Type.Object({
  runId: Type.String(),
  total: UsageTotal,
  costUsd: CostUsd,
  agents: Type.Array(Type.Object({ agentId: Type.String(), name: Type.String(), ...Share })),
  steps: Type.Array(Type.Object({ stepId: Type.String(), agentId: Type.String(), usage: Usage })),
  series: Type.Array(
    Type.Object({
      seq: Type.Integer({ minimum: 1 }),
      time: IsoTime('when the model call ended'),
      agentId: Type.String(),
      stepId: Type.Optional(Type.String()),
      provider: Type.String(),
      model: Type.String(),
      ...Share,
    }),
    { description: 'one entry for each model call, in the order in which they ended' },
  ),
})
export type RunUsage = Static<typeof RunUsage>

/** @param events of the run, from the first on */
export async function usageOf(runId: string, events: AsyncIterable<RunEvent>): Promise<RunUsage> {
  const view = new RunView()
  const series: RunUsage['series'] = []
  for await (const event of events) {
    view.apply(event)
    if (event.type !== 'model.completed' && event.type !== 'model.failed') continue
    const { provider, model, usage, costUsd = 0 } = event.data
    if (usage === undefined) continue
    const { seq = 1, time, agentId = '', stepId } = event
    series.push({ seq, time, agentId, ...(stepId !== undefined && { stepId }), provider, model, usage, costUsd })
  }
  return {
    runId,
    total: view.usage,
    costUsd: view.costUsd,
    agents: [...view.agents.values()].map(({ id, name }) => ({ agentId: id, name, ...view.usageOfAgent(id) })),
    steps: [...view.steps.values()].map(({ id, agentId }) => ({ stepId: id, agentId, usage: view.usageOfStep(id) })),
    series,
  }
}
