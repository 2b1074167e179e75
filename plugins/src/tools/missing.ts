import { opendir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ToolError } from '@svc/core'
import { nearest } from '@svc/core/text'
import { show } from './file-errors.ts'
import { walk } from './walk.ts'
import { isInside, type Place } from './workspace.ts'

const MOST_NAMES = 2000

/** The error of a path that does not exist, with names that may have been meant. */
export async function missing(place: Place, signal: AbortSignal): Promise<ToolError> {
  const meant = await findMeant(place, signal)
  const hint = meant.length === 0 ? '' : `; did you mean ${meant.map(show).join(' or ')}?`
  return new ToolError('tool_failed', `${show(place.relative)} does not exist${hint}`, {
    details: { path: place.relative, errno: 'ENOENT', didYouMean: meant },
  })
}

/** A similar name in the same folder, and files of the same name elsewhere; at most three. */
async function findMeant(place: Place, signal: AbortSignal): Promise<string[]> {
  const slash = place.relative.lastIndexOf('/')
  const name = place.relative.slice(slash + 1)
  const meant = new Set<string>()
  const parent = dirname(place.real)
  const isFolder = await stat(parent).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (isFolder && isInside(place.root, parent)) {
    const alike = nearest(name, await readNames(parent))
    if (alike !== undefined) meant.add(slash < 0 ? alike : `${place.relative.slice(0, slash)}/${alike}`)
  }
  const top: Place = { root: place.root, real: place.root, relative: '.', exists: true }
  let seen = 0
  for await (const entry of walk(top, { signal })) {
    if (entry.path.endsWith(`/${name}`) || entry.path === name) meant.add(entry.path)
    if (meant.size >= 3 || ++seen >= MOST_NAMES) break
  }
  return [...meant].slice(0, 3)
}

async function readNames(folder: string): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const { name } of await opendir(folder)) {
      if (names.push(name) >= MOST_NAMES) break
    }
  } catch {
    // a folder that cannot be read has no names to offer
  }
  return names.sort()
}
