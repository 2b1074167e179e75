import { opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ToolError } from '@svc/core'
import { nearest } from '@svc/core/text'
import { show } from './file-errors.ts'
import { walk } from './find/walk.ts'
import { isInside, isOpen, openFolder, type Place } from './workspace.ts'

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
  const real = dirname(place.real)
  if (isInside(place.root, real)) {
    const folder = slash < 0 ? '.' : place.relative.slice(0, slash)
    const alike = nearest(name, await readNames({ ...place, real, relative: folder, exists: true }))
    if (alike !== undefined) meant.add(slash < 0 ? alike : `${folder}/${alike}`)
  }
  const top: Place = { ...place, real: place.root, relative: '.', exists: true }
  let seen = 0
  for await (const entry of walk(top, { signal })) {
    if (entry.path.endsWith(`/${name}`) || entry.path === name) meant.add(entry.path)
    if (meant.size >= 3 || ++seen >= MOST_NAMES) break
  }
  return [...meant].slice(0, 3)
}

async function readNames(folder: Place): Promise<string[]> {
  const names: string[] = []
  try {
    const opened = await openFolder(folder)
    try {
      for await (const { name } of await opendir(opened.path)) {
        const place = { ...folder, real: join(folder.real, name), relative: `${folder.relative}/${name}` }
        if (isOpen(place) && names.push(name) >= MOST_NAMES) break
      }
    } finally {
      await opened.close()
    }
  } catch {
    // a folder that cannot be read has no names to offer
  }
  return names.sort()
}
