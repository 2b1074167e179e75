import type { ListResourcesResult, ReadResourceResult } from '@modelcontextprotocol/server'
import { isTerminal, type Runtime, SvcError } from '@svc/core'
import { artifactOf } from '../../runs/artifact.ts'
import { eventsSoFar } from '../../runs/events-so-far.ts'
import { toResult } from './run/result.ts'

const PLACE = /^svc:\/\/runs\/(run_[0-9A-Z]{26})(?:\/artifacts\/([\w.-]{1,200}))?$/
const MOST_TITLE = 100

/** Resources whose addresses are made from ids. */
export const TEMPLATES = [
  {
    name: 'run',
    title: 'A run',
    uriTemplate: 'svc://runs/{runId}',
    description: 'how it stands, with its answer once it has ended',
    mimeType: 'application/json',
  },
  {
    name: 'file',
    title: 'A file of a run',
    uriTemplate: 'svc://runs/{runId}/artifacts/{artifactId}',
    description: 'as the run wrote it',
  },
]

/** The runs of this folder that the caller may see, the newest first. @throws ValidationError `invalid_cursor` */
export async function listResources({ runs }: Runtime, cursor: string | undefined): Promise<ListResourcesResult> {
  const { data, nextCursor } = await runs.list(cursor === undefined ? {} : { after: cursor })
  return {
    resources: data.map(({ id, task, status, createdAt }) => ({
      uri: `svc://runs/${id}`,
      name: id,
      title: task.length > MOST_TITLE ? `${task.slice(0, MOST_TITLE)}...` : task,
      description: `a run that is ${status}`,
      mimeType: 'application/json',
      annotations: { lastModified: createdAt },
    })),
    ...(nextCursor !== undefined && { nextCursor }),
  }
}

/** A run, or a file of one. @returns undefined where there is none */
export async function readResource(runtime: Runtime, uri: string): Promise<ReadResourceResult | undefined> {
  const [, runId, artifactId] = PLACE.exec(uri) ?? []
  if (runId === undefined) return undefined
  try {
    const run = await runtime.runs.get(runId)
    if (artifactId === undefined) {
      const text = JSON.stringify(toResult(run, false).structuredContent)
      return { contents: [{ uri, mimeType: 'application/json', text }] }
    }
    if (!isTerminal(run.status)) return undefined
    const events = eventsSoFar(runtime, run)
    const file = await artifactOf(runtime.runs, run, artifactId, { version: 'after', events })
    if (typeof file !== 'object') return undefined
    const { mimeType, bytes } = file
    return { contents: [{ uri, mimeType, ...contentOf(mimeType, bytes) }] }
  } catch (thrown) {
    if (SvcError.isInstance(thrown) && thrown.code === 'run_not_found') return undefined
    throw thrown
  }
}

const contentOf = (mimeType: string, bytes: Buffer): { text: string } | { blob: string } =>
  /^text\/|[/+](json|xml|yaml|javascript|toml)$/.test(mimeType)
    ? { text: bytes.toString() }
    : { blob: bytes.toString('base64') }
