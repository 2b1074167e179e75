import { createGlob, type Glob } from './glob.ts'

interface IgnoreRule {
  readonly matches: Glob
  readonly keeps: boolean
  readonly foldersOnly: boolean
}

const MOST_RULES = 1000

/** Whether a path below the folder of the `.gitignore` is left out by it; the folders above it are asked separately. */
export type GitIgnore = (path: string, isFolder: boolean) => boolean

/**
 * Reads a `.gitignore`: comments, `!` to keep, `/` at the end for folders, a `/` elsewhere to bind a pattern to its
 * folder; the last rule that matches decides. Braces are plain characters here, as they are for git.
 */
export function parseGitIgnore(text: string): GitIgnore {
  const rules = text
    .split('\n')
    .slice(0, MOST_RULES)
    .map(toRule)
    .filter((rule) => rule !== undefined)
  return (path, isFolder) => {
    for (let index = rules.length - 1; index >= 0; index--) {
      const rule = rules[index]
      if (rule !== undefined && (isFolder || !rule.foldersOnly) && rule.matches(path)) return !rule.keeps
    }
    return false
  }
}

function toRule(line: string): IgnoreRule | undefined {
  let pattern = line.trim()
  if (pattern === '' || pattern.startsWith('#') || pattern.length > 500) return undefined
  const keeps = pattern.startsWith('!')
  if (keeps) pattern = pattern.slice(1)
  const foldersOnly = pattern.endsWith('/')
  if (foldersOnly) pattern = pattern.slice(0, -1)
  if (pattern === '' || pattern === '/') return undefined
  const bound = pattern.includes('/')
  const glob = createGlob(pattern.replaceAll('{', '\\{'))
  return { matches: bound ? glob : (path) => glob(path.slice(path.lastIndexOf('/') + 1)), keeps, foldersOnly }
}
