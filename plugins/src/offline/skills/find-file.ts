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
  readonly tree: Listing
}

/** Resolves every path of the question: exact, else by its end, else by its name without the ending. */
export function* findNamed(session: ToolSession): Look<Named> {
  const tree = yield* lookAtTree(session)
  const files: string[] = []
  const folders: string[] = []
  const missing: string[] = []
  for (const asked of askedPaths(session)) {
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
  return { files: [...new Set(files)], folders: [...new Set(folders)], missing, tree }
}

/** Words after "in" that are no folder. */
const NO_FOLDER =
  /^(?:this|the|a|an|each|every|which|what|top|root|any|all|is|are|of|one|contains?|has|in|it|its|total|there|here|my|our|your|workspace|repo|repository|project|package|module|library|typescript|javascript|python|markdown|general|detail|short|brief|order|source|code|main|tests?)$/i

/** Paths as written, the word in "the src folder", and the word after "files in". */
function askedPaths({ question }: ToolSession): string[] {
  const worded = [
    ...question.text.matchAll(
      /\b(?:folder|directory)\s+[`"']?([\w@./-]+)|[`"']?(?<![\w@./-])([\w@./-]+)[`"']?\s+(?:folder|directory)\b/gi,
    ),
    ...question.text.matchAll(
      /\b(?:files?|folders?|is|are|tests?|what's)\s+(?:(?:is|are|there|lie|lies|live)\s+)?(?:in|inside|under|within)\s+(?:the\s+)?[`"']?([\w@./-]+)/gi,
    ),
  ]
    .map((match) => (match[1] ?? match[2] ?? '').replace(/(?<![.,?])[.,?]+$/, ''))
    .filter((word) => word !== '' && !NO_FOLDER.test(word) && !/\.\w{1,5}$/.test(word))
    .map((word) => `${word.replace(/\/$/, '')}/`)
  const all = [...question.paths, ...worded]
  return [...new Set(all)].filter((path) => !all.includes(`${path}/`))
}

function nearest(files: readonly string[], asked: string): string | undefined {
  const lower = asked.toLowerCase()
  const matches = (test: (path: string) => boolean): string | undefined =>
    files.filter(test).sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))[0]
  return (
    matches((path) => path === asked) ??
    matches((path) => path.toLowerCase() === lower) ??
    matches((path) => path.toLowerCase().endsWith(`/${lower}`)) ??
    (/[/.]/.test(asked)
      ? undefined
      : matches(
          (path) =>
            baseName(path)
              .toLowerCase()
              .replace(/\.\w+$/, '') === lower,
        ))
  )
}
