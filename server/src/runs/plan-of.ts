import { ConflictError, describeGiven, type PlanResult, type Run, type RunEvent, RunView, toProfile } from '@svc/core'

/**
 * The plan of a run of any mode, as a run in mode `plan` returns it.
 *
 * @param events of the run, from the first on
 * @throws ConflictError `run_not_finished` while there is no plan yet, or where there never was one
 */
export async function planOf(run: Run, events: AsyncIterable<RunEvent>): Promise<PlanResult> {
  if (run.mode === 'plan' && run.result !== undefined) return run.result as PlanResult
  const view = new RunView()
  const agents: PlanResult['agents'] = []
  for await (const event of events) {
    view.apply(event)
    if (event.type !== 'agent.created') continue
    const { data, time } = event
    agents.push(
      'memory' in data ? data : toProfile({ id: data.id, name: data.name, role: data.role }, Date.parse(time)),
    )
  }
  const { allocation, plan, usage, costUsd } = view
  if (allocation === undefined || plan === undefined) {
    throw new ConflictError('run_not_finished', `run ${run.id} is ${run.status} and has no plan`)
  }
  return {
    runId: run.id,
    status: 'completed',
    summary: plan.steps.map(({ id, objective }) => `${id}: ${objective}`).join('\n'),
    topology: plan.topology,
    agents,
    budget: allocation,
    // A given plan was not analyzed.
    complexity: view.complexity ?? describeGiven(run.id, plan),
    plan,
    usage,
    costUsd,
    warnings: [],
  }
}
