import { createHash } from 'node:crypto'
import { NotFoundError } from '@svc/core'
import { ArtifactId, RunId } from '@svc/core/schema'
import * as Type from 'typebox'
import type { Answer } from '../http/answer.ts'
import { isKnownTo } from '../http/entity-tag.ts'
import { ANY } from '../http/request/accept.ts'
import { type ArtifactFile, artifactOf } from '../runs/artifact.ts'
import { eventsSoFar } from '../runs/events-so-far.ts'
import { type Route, type RouteRequest, route } from './route.ts'
import { query, reach } from './schemas.ts'

export const artifactRoute: Route = route({
  method: 'GET',
  path: '/v1/runs/{id}/artifacts/{artifactId}',
  summary: 'A file that an ended run wrote or changed, as the run left it or as it was before.',
  params: Type.Object({ id: RunId, artifactId: ArtifactId }, { additionalProperties: false }),
  query: query({
    version: Type.Optional(
      Type.Enum(['before', 'after'], {
        description: '`before`: as it was when the run changed it first; default `after`: as the run left it',
      }),
    ),
    ...reach,
  }),
  media: [ANY],
  answers: { 200: Type.String() },
  errors: ['run_not_found', 'artifact_not_found'],
  isLarge: true,
  async handle(request) {
    const { context, params } = request
    const { version = 'after', ...far } = request.query
    const { runs } = context.runtime
    const run = await runs.get(params.id, far)
    const events = eventsSoFar(context.runtime, run)
    const file = await artifactOf(runs, run, params.artifactId, { version, events })
    if (typeof file === 'object') return toAnswer(file, request)
    if (file !== undefined) throw new NotFoundError('artifact_not_found', file)
    const { artifacts = [] } = (run.result ?? {}) as { artifacts?: { id: string }[] }
    const known = artifacts.length === 0 ? 'it has none' : `it has ${artifacts.map(({ id }) => id).join(', ')}`
    throw new NotFoundError('artifact_not_found', `run ${run.id} has no artifact "${params.artifactId}": ${known}`)
  },
})

/** A file to be saved: whatever it holds, a browser neither shows nor runs it. */
function toAnswer({ name, mimeType, bytes }: ArtifactFile, { message }: Pick<RouteRequest, 'message'>): Answer {
  const tag = `"${createHash('sha256').update(bytes).digest('hex')}"`
  const headers = { ETag: tag, 'Cache-Control': 'private, no-cache' }
  if (isKnownTo(message, tag)) return { status: 304, headers }
  return {
    status: 200,
    headers: {
      ...headers,
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'Content-Type': /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? `${mimeType}; charset=utf-8` : 'application/octet-stream',
      'Content-Disposition': attachmentOf(name),
      'Content-Length': String(bytes.length),
    },
    write: (response) => {
      response.end(message.method === 'HEAD' ? undefined : bytes)
    },
  }
}

/** @see RFC 6266: a plain name for old readers, and the whole one */
function attachmentOf(name: string): string {
  const plain = name.replaceAll(/[^\w. -]/g, '_').slice(0, 100)
  const whole = encodeURIComponent(Buffer.from(name.slice(0, 200)).toString()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}
