import type { Page, Run } from '@svc/core'
import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { RouteRequest } from '../../routes/route.ts'
import { baseOf } from './base-of.ts'
import { badField } from './errors.ts'
import { firstMessage } from './operations.ts'
import { statusesOf, toStatus, toTask } from './task.ts'
import type { Task } from './wire.ts'

const text = Type.Optional(Type.String())

const fields = {
  contextId: text,
  status: text,
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'default 50' })),
  pageToken: text,
  historyLength: Type.Optional(Type.Integer({ minimum: 0 })),
  statusTimestampAfter: text,
  includeArtifacts: Type.Optional(Type.Boolean()),
}

/** What `ListTasks` takes. */
export const ListQuery = Type.Object(fields)
type ListQuery = Static<typeof ListQuery>

const STATES = [
  'SUBMITTED',
  'WORKING',
  'COMPLETED',
  'FAILED',
  'CANCELED',
  'INPUT_REQUIRED',
  'REJECTED',
  'AUTH_REQUIRED',
]

interface TaskPage {
  tasks: Task[]
  nextPageToken: string
  pageSize: number
  totalSize: number
}

/**
 * `ListTasks`: pages of the newest tasks, those within a page by when they last changed. A page may have fewer tasks than
 * asked for where some did not change after `statusTimestampAfter`.
 */
export async function listTasks(request: RouteRequest, query: ListQuery): Promise<TaskPage> {
  const { runs } = request.context.runtime
  const { contextId, status = '', pageSize = 50, pageToken, historyLength = 0, includeArtifacts = false } = query
  const isAny = status === '' || status === 'TASK_STATE_UNSPECIFIED'
  if (!isAny && !STATES.some((state) => status === `TASK_STATE_${state}`))
    throw badField('status', `must be TASK_STATE_ and one of ${STATES.join(', ')}`)
  const since = timeOf(query.statusTimestampAfter)
  const filters = contextId ? { threadId: contextId } : {}
  const statuses: (Run['status'] | undefined)[] = isAny ? [undefined] : statusesOf(status)
  const pages = await Promise.all(
    statuses.map((wanted) =>
      runs.list({
        ...filters,
        ...(wanted && { status: wanted }),
        limit: pageSize,
        ...(pageToken && { after: pageToken }),
      }),
    ),
  )
  const { data, next } = join(pages, pageSize)
  const changed = data.filter((run) => Date.parse(toStatus(run).timestamp) > since)
  const { total, byStatus } = await runs.summary(filters)
  const tasks = changed.map(async (run) => {
    const history = historyLength === 0 ? [] : [await firstMessage(request, run)]
    return toTask(run, { base: baseOf(request), withArtifacts: includeArtifacts, history })
  })
  return {
    tasks: (await Promise.all(tasks)).sort((a, b) => (a.status.timestamp < b.status.timestamp ? 1 : -1)),
    nextPageToken: next,
    pageSize,
    totalSize: statuses.reduce((sum, wanted) => sum + (wanted === undefined ? total : (byStatus[wanted] ?? 0)), 0),
  }
}

/** The newest runs of several lists, and where the next page begins. */
function join(pages: readonly Page<Run>[], limit: number): { data: Run[]; next: string } {
  const all = pages.flatMap(({ data }) => data).sort((a, b) => (a.id < b.id ? 1 : -1))
  const data = all.slice(0, limit)
  const hasMore = all.length > limit || pages.some((page) => page.hasMore)
  return { data, next: hasMore ? (data.at(-1)?.id ?? '') : '' }
}

function timeOf(text = ''): number {
  if (text === '') return Number.NEGATIVE_INFINITY
  const time = Date.parse(text)
  if (!Number.isNaN(time)) return time
  throw badField('statusTimestampAfter', 'must be an ISO time, such as 2026-01-31T12:00:00.000Z')
}
