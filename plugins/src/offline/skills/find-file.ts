import type { Look } from '../look.ts'
import { baseName, depthOf } from '../paths.ts'
import type { Listing } from '../read/formats.ts'
import { lookAtTree } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'

/** Files and folders that the question names, as they are called in the workspace. */
export interface Named {
  readonly files: readonly string[]
  /** Each ends with `/`. */
  readonly folders: readonly string[]
  /** Names for which nothing was found. */
  readonly missing: readonly string[]
  /** Of the words that were given those that are the name of a folder. */
  readonly said: readonly string[]
  readonly tree: Listing
}

/**
 * Resolves every path of the question: exact, else by its end, else by its name without the ending. Of other words those
 * that a folder is called by.
 */
export function* findNamed(session: ToolSession, words: readonly string[] = []): Look<Named> {
  const tree = yield* lookAtTree(session)
  const { paths, topics } = session.question
  const placed = [...words, ...(topics.has('test') && topics.has('folder') ? ['test', 'tests'] : [])]
  const called = placed.filter((word) =>
    tree.folders.some((folder) => folder === `${word}/` || (depthOf(folder) === 2 && folder.endsWith(`/${word}/`))),
  )
  const all = [...new Set([...paths, ...called.map((word) => `${word}/`)])]
  const files: string[] = []
  const folders: string[] = []
  const missing: string[] = []
  for (const asked of all.filter((path) => !all.includes(`${path}/`))) {
    const path = asked.replace(/^\.\//, '')
    const folder =
      tree.folders.find((other) => other === `${path.replace(/\/$/, '')}/`) ??
      (path.endsWith('/') ? tree.folders.find((other) => other.endsWith(`/${path}`)) : undefined)
    const file = nearest(
      tree.files.map((other) => other.path),
      path,
    )
    if (file !== undefined && !path.endsWith('/')) files.push(file)
    else if (folder !== undefined) folders.push(folder)
    else if (path.endsWith('/')) {
      // it may be one that listings leave out unless it is named
      const inside = yield* session.list({ path, depth: 1, limit: 1 })
      if (inside) folders.push(path)
      else missing.push(asked)
    } else {
      const deeper = yield* session.list({ depth: 12, pattern: `**/${baseName(path.replace(/\/$/, ''))}`, limit: 20 })
      const found = nearest(deeper?.files.map((other) => other.path) ?? [], path)
      if (found !== undefined) files.push(found)
      else missing.push(asked)
    }
  }
  return { files: [...new Set(files)], folders: [...new Set(folders)], missing, said: called, tree }
}

function nearest(files: readonly string[], asked: string): string | undefined {
  const lower = asked.toLowerCase()
  const matches = (test: (path: string) => boolean): string | undefined =>
    files.filter(test).sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))[0]
  return (
    matches((path) => path === asked) ??
    matches((path) => path.toLowerCase() === lower) ??
    matches((path) => path.toLowerCase().endsWith(`/${lower}`)) ??
    (/\.\w+$/.test(asked)
      ? undefined
      : matches((path) => `/${path.toLowerCase().replace(/\.\w+$/, '')}`.endsWith(`/${lower}`)))
  )
}
