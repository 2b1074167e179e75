import { RunCursor } from '@svc/core/schema'
import * as Type from 'typebox'
import type { FollowedRuns } from '../events/followed-runs.ts'
import { EVENT_STREAM, negotiate } from '../http/request/accept.ts'
import { assertReached } from '../runs/read-events.ts'
import type { ServerContext } from '../server-context.ts'
import { type Route, route } from './route.ts'
import { query, reach } from './schemas.ts'

const MEDIA = [EVENT_STREAM]
/** Runs that one stream follows at most. */
const MOST_RUNS = 50

export const eventRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/events',
    summary:
      'A stream of what begins, waits and ends from now on, of the runs of all processes that share the store and the folder, and of all events of the runs that are named.',
    query: query({
      types: Type.Optional(Type.Array(Type.String({ pattern: '^run\\.[a-z*]+$' }))),
      run: Type.Optional(
        Type.Array(RunCursor, {
          maxItems: MOST_RUNS,
          description: 'runs of any folder whose events the stream has, too',
        }),
      ),
      ...reach,
    }),
    isNewWork: true,
    media: MEDIA,
    answers: { 200: Type.String() },
    errors: ['too_many_streams'],
    handle({ context, query: { all = false, run, ...filter }, message, response, holder, reach: own }) {
      negotiate(message, MEDIA)
      context.streams.assertRoom(holder)
      return {
        status: 200,
        write: () =>
          context.streams.watch(
            response,
            holder,
            { ...filter, ...(own.owner === undefined ? { all } : own) },
            run === undefined ? undefined : toFollowed(run, context),
          ),
      }
    },
  }),
]

/** A run that is named twice is read from the lower number on. */
function toFollowed(asked: readonly string[], { runtime }: ServerContext): FollowedRuns {
  const runs = new Map<string, number>()
  for (const each of asked) {
    const [id = '', number = ''] = each.split(':')
    runs.set(id, Math.min(runs.get(id) ?? Number.POSITIVE_INFINITY, Number(number)))
  }
  return { runs, find: async (id, after) => assertReached(await runtime.runs.get(id, { all: true }), after) }
}
