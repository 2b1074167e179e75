import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { SvcError } from '@svc/core'

/** The one database of a data folder. */
export const DATA_FILE = 'svc.db'

const REASONS: Readonly<Partial<Record<string, string>>> = {
  EACCES: 'you have no permission',
  EPERM: 'it belongs to another user',
  EROFS: 'its file system is read-only',
  EEXIST: 'its folder is a file',
  ENOTDIR: 'a part of its path is a file',
}

/**
 * Makes the folder and the file, for their owner alone, where they are not there yet.
 *
 * In a project, what came with the project is refused: a link that leads out of it, a file of another user, a file that
 * is under version control. Somebody else's memories would be recalled as one's own.
 *
 * @param project the project's folder, where the data folder was chosen because it lies in one
 * @returns the file's path
 * @throws SvcError `store_unavailable`
 */
export function prepareDataFile(dir: string, project?: string): string {
  return prepareFile(join(dir, DATA_FILE), project)
}

/** The same for a file of any name. */
export function prepareFile(file: string, project?: string): string {
  const dir = dirname(file)
  try {
    const isNew = makeFolder(dir)
    if (project !== undefined) {
      refuseForeign(dir, file, project)
      if (isNew) writeFileSync(join(dir, '.gitignore'), '*\n', { mode: 0o600 })
    }
    // SQLite gives its log files the mode of the database.
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (stats === undefined) closeSync(openSync(file, 'a', 0o600))
    else if (!stats.isFile()) throw refused(file, 'it is not a plain file')
    else if ((stats.mode & 0o077) !== 0) chmodSync(file, 0o600)
    return file
  } catch (thrown) {
    if (thrown instanceof SvcError) throw thrown
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown)
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new SvcError('disk_full', `${dir} cannot be made: the disk is full`, { cause: thrown })
    throw new SvcError(
      'store_unavailable',
      `${file} cannot be written: ${REASONS[code] ?? code}; set store.dir or SVC_DATA_DIR to a folder that can`,
      { cause: thrown, retryable: false },
    )
  }
}

/** With all that lead to it. Node's own recursion never ends where the system lets nobody make a folder, as in `/proc`. */
function makeFolder(dir: string): boolean {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return false
  const parent = dirname(dir)
  if (parent !== dir) makeFolder(parent)
  try {
    mkdirSync(dir, { mode: 0o700 })
    return true
  } catch (thrown) {
    // Another process may have been faster.
    if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return false
    throw thrown
  }
}

function refuseForeign(dir: string, file: string, project: string): void {
  const inside = relative(realpathSync(project), realpathSync(dir))
  if (inside === '..' || inside.startsWith(`..${sep}`)) throw refused(file, `its folder is a link out of ${project}`)
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return
  const user = process.getuid?.() ?? 0
  if (user !== 0 && stats.uid !== user) throw refused(file, 'it belongs to another user')
  if (isTracked(project, `.svc/data/${DATA_FILE}`)) throw refused(file, 'it is under version control')
}

const refused = (file: string, reason: string): SvcError =>
  new SvcError(
    'store_unavailable',
    `${file} is not used because ${reason}: remove it, or set store.dir or SVC_DATA_DIR`,
    { retryable: false },
  )

/** Whether git's index names a file that ends so; paths stand in it as they are. */
function isTracked(project: string, path: string): boolean {
  for (let folder = resolve(project); ; folder = dirname(folder)) {
    const index = indexOf(join(folder, '.git'))
    if (index !== undefined) return index.includes(path)
    if (dirname(folder) === folder) return false
  }
}

function indexOf(git: string): Buffer | undefined {
  try {
    const folder = statSync(git).isDirectory()
      ? git
      : resolve(
          dirname(git),
          readFileSync(git, 'utf8')
            .replace(/^gitdir: /, '')
            .trim(),
        )
    return readFileSync(join(folder, 'index'))
  } catch {
    return undefined
  }
}
