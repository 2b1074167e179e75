import { fits, type Run } from '@svc/core'
import { RunId } from '@svc/core/schema'
import type { RouteRequest } from '../../routes/route.ts'
import { refusal } from './errors.ts'

/** The run of a task. @throws SvcError where there is none that the caller may see */
export async function findRun({ context }: Pick<RouteRequest, 'context'>, id: string): Promise<Run> {
  const isId: boolean = fits(RunId, id)
  if (isId) return context.runtime.runs.get(id)
  throw refusal('TASK_NOT_FOUND', `there is no task "${id.slice(0, 100)}"`)
}
