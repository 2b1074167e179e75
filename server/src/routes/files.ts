import { NotFoundError } from '@svc/core'
import { FileNames, FileQuery } from '@svc/core/schema'
import { ok } from '../http/answer.ts'
import { type Route, route } from './route.ts'
import { query } from './schemas.ts'

export const filesRoute: Route = route({
  method: 'GET',
  path: '/v1/files',
  summary: 'Finds files of the workspace by a part of their path, for `files` of a run.',
  query: query(FileQuery.properties),
  answers: { 200: FileNames },
  errors: ['route_not_found'],
  async handle({ context, query: asked }) {
    const found = await context.runtime.files?.(asked)
    if (found === undefined) throw new NotFoundError('route_not_found', 'GET /v1/files: this server has no workspace')
    return ok(found)
  },
})
