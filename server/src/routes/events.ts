import * as Type from 'typebox'
import { EVENT_STREAM, negotiate } from '../http/request/accept.ts'
import { type Route, route } from './route.ts'
import { query, reach } from './schemas.ts'

const MEDIA = [EVENT_STREAM]

export const eventRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/events',
    summary:
      'A stream of what begins, waits and ends from now on, of the runs of all processes that share the store and the folder.',
    query: query({ types: Type.Optional(Type.Array(Type.String({ pattern: '^run\\.[a-z*]+$' }))), ...reach }),
    isNewWork: true,
    media: MEDIA,
    answers: { 200: Type.String() },
    errors: ['too_many_streams'],
    handle({ context, query: { all = false, ...filter }, message, response, holder, reach: own }) {
      negotiate(message, MEDIA)
      context.streams.assertRoom(holder)
      return {
        status: 200,
        write: () =>
          context.streams.watch(response, holder, { ...filter, ...(own.owner === undefined ? { all } : own) }),
      }
    },
  }),
]
