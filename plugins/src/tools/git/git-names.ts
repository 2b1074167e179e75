import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/** Signs that macOS leaves out of the name of a file. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g
/** In any case, as Windows shortens it, and with an end that Windows leaves out. */
const GIT_NAME = /^(?:\.git|git~1)[ .]*(?::|$)/i

/** A name as systems read it that know no case, leave signs out, or ends: two files that are one there are equal. */
export const toPlainName = (name: string): string =>
  name
    .replace(IGNORED, '')
    .toLowerCase()
    .replace(/(?<![ .])[ .]+$/, '')

/** Whether a name is `.git` for the git of any system. */
export const isGitName = (name: string): boolean => GIT_NAME.test(name.replace(IGNORED, ''))

/** Whether a folder that holds these names is a repository by itself, as a bare one is and what is in `.git`. */
export function isRepository(names: readonly string[]): boolean {
  const lower = new Set(names.map((name) => name.toLowerCase()))
  return lower.has('head') && ((lower.has('objects') && lower.has('refs')) || lower.has('commondir'))
}

/**
 * Why a file is git's: it would lie in a `.git`, or in a folder that is a repository by itself or becomes one by it.
 *
 * @param root the folder in which folders are looked at
 * @param file absolute path with links resolved
 */
export function whyOfGit(root: string, file: string): string | undefined {
  const segments = relative(root, file).split(sep)
  if (segments.some(isGitName)) return 'lies in .git, whose files git runs'
  for (const [index, name] of segments.entries()) {
    const folder = join(root, ...segments.slice(0, index))
    if (isRepository([...namesIn(folder), name])) return 'is of a git repository, whose files git runs'
  }
  return undefined
}

/** The folders from a file's own up to the root of the file system that hold a `.git`. */
export function foldersOfGit(file: string): string[] {
  const folder = dirname(file)
  const above = folder === file ? [] : foldersOfGit(folder)
  return existsSync(join(folder, '.git')) ? [folder, ...above] : above
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // nothing is there yet
  }
}
