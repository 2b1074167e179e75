import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, relative, sep } from 'node:path'

const WRITABLE_FOR_ALL = 0o002

/**
 * Whether what is at a path, or the link that stands there, is another user's: what they made may say anything, and what is
 * written to it is theirs to read. Root uses what lies in a user's own folder, and not what lies where everybody may write.
 *
 * @returns false where there is nothing, or the system knows no owners
 */
export function isForeign(path: string): boolean {
  const user = process.getuid?.()
  const owner = lstatSync(path, { throwIfNoEntry: false })?.uid
  if (user === undefined || owner === undefined || owner === user || owner === 0) return false
  return user !== 0 || (statSync(dirname(path)).mode & WRITABLE_FOR_ALL) !== 0
}

/** Whether a file is this user's, and nobody else has these rights to it. Default: to write. */
export const isOwn = ({ uid, mode }: Pick<Stats, 'uid' | 'mode'>, rights = 0o022): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & rights) === 0)

/**
 * The folders of `PATH` that programs of a project cannot have written to. npm and npx put `node_modules/.bin` of each folder
 * above first, and a program that lies there would run in the place of the system's.
 *
 * @param folder of the project
 */
export function pathOutside(folder: string, path = ''): string {
  const project = realOf(folder)
  const isOutside = (entry: string): boolean => {
    if (!isAbsolute(entry)) return false
    const real = realOf(entry)
    const way = relative(project, real)
    return (
      !`${real}${sep}`.includes(`${sep}node_modules${sep}`) &&
      (way.startsWith('..') || isAbsolute(way) || dirname(project) === project)
    )
  }
  return path.split(delimiter).filter(isOutside).join(delimiter)
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
