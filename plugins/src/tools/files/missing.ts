import { ToolError } from '@svc/core'
import { nearest } from '@svc/core/text'
import { show } from './file-errors.ts'
import { walk } from './find/walk.ts'
import type { WorkspacePath } from './workspace.ts'

const MOST_NAMES = 2000

/** The error of a path that does not exist, with names that may have been meant. */
export async function missing(place: WorkspacePath, signal: AbortSignal): Promise<ToolError> {
  const meant = await findMeant(place, signal)
  const hint = meant.length === 0 ? '' : `; did you mean ${meant.map(show).join(' or ')}?`
  return new ToolError('tool_failed', `${show(place.relative)} does not exist${hint}`, {
    details: { path: place.relative, errno: 'ENOENT', didYouMean: meant },
  })
}

/** A similar name in the same folder, and files of the same name elsewhere; at most three. */
async function findMeant(place: WorkspacePath, signal: AbortSignal): Promise<string[]> {
  const nameStart = place.relative.lastIndexOf('/') + 1
  const [folder, name] = [place.relative.slice(0, nameStart), place.relative.slice(nameStart)]
  const beside: string[] = []
  const elsewhere: string[] = []
  let seen = 0
  for await (const { path } of walk({ ...place, real: place.root, relative: '.', exists: true }, { signal })) {
    const at = path.lastIndexOf('/') + 1
    if (path.slice(0, at) === folder) beside.push(path.slice(at))
    if (path.slice(at) === name) elsewhere.push(path)
    if (++seen >= MOST_NAMES) break
  }
  const alike = nearest(name, beside)
  return [...(alike === undefined ? [] : [folder + alike]), ...elsewhere].slice(0, 3)
}
