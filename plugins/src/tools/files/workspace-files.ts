import {
  PolicyError,
  type SvcError,
  type ToolContext,
  toSvcError,
  ValidationError,
  type WorkspaceFiles,
} from '@svc/core'
import { Attachments, MOST_ATTACHED_BYTES, MOST_ATTACHMENTS } from '@svc/core/text'
import { show, toFileError } from './file-errors.ts'
import { createGlob } from './find/glob.ts'
import { walk } from './find/walk.ts'
import { missing } from './missing.ts'
import { createUndoFiles } from './undo/undo-files.ts'
import { openInside, resolveInside, type WorkspacePath } from './workspace.ts'

const IS_GLOB = /[*?[{]/
/** How long a list of names serves. */
const FRESH_MS = 5_000
/** A search of a whole workspace ends by then. */
const SEARCH_MS = 20_000

type PathCheck = NonNullable<ToolContext['check']>

/** The files of a folder as its tools reach them: confined to it, and by leave of the policy. */
export function createWorkspaceFiles(workspace: string): WorkspaceFiles {
  let listed: { at: number; names: Promise<string[]> } | undefined

  return {
    ...createUndoFiles(workspace),
    async attach(names, material, check) {
      const all = once(() => search(workspace, check))
      const paths = new Map<string, number>()
      for (const [index, name] of names.entries()) {
        for (const path of await naming(index, () => expand(workspace, name, check, all)))
          if (!paths.has(path)) paths.set(path, index)
        if (paths.size > MOST_ATTACHMENTS)
          throw wrong(index, `with ${show(name)} there are more than ${MOST_ATTACHMENTS} files; name fewer`)
      }
      const attachments = new Attachments()
      for (const [path, index] of paths) {
        const problem = attachments.add(path, await naming(index, () => read({ workspace, check }, path)))
        if (problem !== undefined) throw wrong(index, `${show(path)} ${problem}`)
      }
      return attachments.after(material)
    },
    list(check) {
      const now = performance.now()
      if (listed === undefined || now - listed.at > FRESH_MS) {
        const names = search(workspace, check)
        names.catch(() => {
          listed = undefined
        })
        listed = { at: now, names }
      }
      return listed.names
    },
  }
}

/** The paths of all files, sorted. */
async function search(workspace: string, check: PathCheck): Promise<string[]> {
  const root = await resolveInside({ workspace }, '.')
  const paths: string[] = []
  for await (const { kind, path } of walk({ ...root, check }, { signal: AbortSignal.timeout(SEARCH_MS) }))
    if (kind === 'file') paths.push(path)
  return paths.sort()
}

/** The files of a glob; a path that is there, or is none, is itself. */
async function expand(
  workspace: string,
  name: string,
  check: PathCheck,
  all: () => Promise<string[]>,
): Promise<string[]> {
  const place = await resolveInside({ workspace, check }, name)
  if (place.exists) return [place.relative]
  if (!IS_GLOB.test(name)) throw await missing(place, AbortSignal.timeout(SEARCH_MS))
  const found = (await all()).filter(createGlob(name))
  if (found.length === 0) throw new ValidationError('validation_failed', `${show(name)} matches no file`)
  return found
}

async function read(scope: { workspace: string; check: PathCheck }, path: string): Promise<Buffer> {
  const place: WorkspacePath = await resolveInside(scope, path)
  const file = await openInside(place)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new ValidationError('validation_failed', `${show(path)} is not a regular file`)
    if (stats.size > MOST_ATTACHED_BYTES)
      throw new ValidationError(
        'validation_failed',
        `${show(path)} has ${stats.size} bytes; at most ${MOST_ATTACHED_BYTES} can be handed over`,
      )
    // No more than it had: it may grow meanwhile.
    const buffer = Buffer.alloc(stats.size)
    let bytes = 0
    for (let more = 1; more > 0 && bytes < buffer.length; bytes += more)
      more = (await file.read(buffer, bytes, buffer.length - bytes, bytes)).bytesRead
    return buffer.subarray(0, bytes)
  } catch (error) {
    throw toFileError(error, path)
  } finally {
    await file.close()
  }
}

/** Does something for one of the names; what it throws says for which. */
async function naming<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    const error = toSvcError(thrown)
    throw wrong(index, error.message, thrown, error instanceof PolicyError ? error.code : undefined)
  }
}

function wrong(index: number, message: string, cause?: unknown, code?: PolicyError['code']): SvcError {
  const path = `/files/${index}`
  const options = { errors: [{ path, message }], cause }
  return code === undefined
    ? new ValidationError('validation_failed', `run: ${path} ${message}`, options)
    : new PolicyError(code, `run: ${path} ${message}`, options)
}

/** A search that is made when it is first wanted, and once. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= work()
    return made
  }
}
