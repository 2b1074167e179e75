import { chmodSync, closeSync, lstatSync, openSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { SvcError } from '@svc/core'
import { isForeign } from '@svc/core/support'
import { hasMark, makeMarked } from './data-mark.ts'
import { makeFolder } from './durable-files.ts'
import { findTracked } from './find-tracked.ts'

/** A project that a data folder lies in. */
export interface DataProject {
  folder: string
  /** The person's own folder, with the mark of their files. */
  userDir: string
}

const REASONS: Readonly<Partial<Record<string, string>>> = {
  EACCES: 'you have no permission',
  EPERM: 'it belongs to another user',
  EROFS: 'its file system is read-only',
  EEXIST: 'its folder is a file',
  ENOTDIR: 'a part of its path is a file',
}
/** May be over when it is tried again. */
const PASSING = /^(?:EIO|EMFILE|ENFILE|SQLITE_IOERR)/

/**
 * Makes the folder and the file, for their owner alone, where they are not there yet.
 *
 * What another user put there is refused: SQLite takes what stands in a log for what the database holds. In a project, what
 * came with the project is refused too: a link that leads out of it, a file that git knows, one without the mark of this
 * person's own files. Somebody else's memories would be recalled as one's own.
 *
 * @param project where the file was chosen because it lies in one
 * @returns the file's path
 * @throws SvcError `store_unavailable`
 */
export function prepareFile(file: string, project?: DataProject): string {
  const dir = dirname(file)
  try {
    if (project !== undefined) refuseOutside(dir, file, project.folder)
    const isNew = makeFolder(dir)
    const foreign = [dir, file, ...LOGS.map((ending) => file + ending)].find(isForeign)
    if (foreign !== undefined) throw refused(foreign, 'it belongs to another user')
    if (project !== undefined) {
      if (isNew) writeFileSync(join(dir, '.gitignore'), '*\n', { mode: 0o600 })
      refuseForeign(file, project)
    }
    // SQLite gives its log files the mode of the database.
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (stats === undefined) makeFile(file, project)
    else if (!stats.isFile()) throw refused(file, 'it is not a plain file')
    else if ((stats.mode & 0o077) !== 0) chmodSync(file, 0o600)
    return file
  } catch (thrown) {
    if (thrown instanceof SvcError) throw thrown
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown)
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL')
      throw new SvcError('disk_full', `${dir} cannot be made: the disk is full`, { cause: thrown })
    throw new SvcError(
      'store_unavailable',
      `${file} cannot be written: ${REASONS[code] ?? thrown}; set store.dir or SVC_DATA_DIR to a folder that can`,
      { cause: thrown, retryable: PASSING.test(code) },
    )
  }
}

/** What is there of the way to the folder may not lead out of the project, before anything is made there. */
function refuseOutside(dir: string, file: string, project: string): void {
  const there = foldersAbove(dir).find((folder) => lstatSync(folder, { throwIfNoEntry: false }) !== undefined) ?? dir
  const inside = relative(realpathSync(project), realpathSync(there))
  if (inside === '..' || inside.startsWith(`..${sep}`)) throw refused(file, `its folder is a link out of ${project}`)
}

function refuseForeign(file: string, { folder, userDir }: DataProject): void {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  const left = LOGS.map((ending) => file + ending).find(
    (log) => lstatSync(log, { throwIfNoEntry: false }) !== undefined,
  )
  if (stats === undefined && left !== undefined) throw refused(left, 'the file that it belongs to is not there')
  if (stats === undefined) return
  if (!stats.isFile()) throw refused(file, 'it is not a plain file')
  const known = findTracked(folder, dirname(file)).find((name) => basename(name).startsWith(basename(file)))
  if (known !== undefined) throw refused(join(dirname(file), basename(known)), 'it is under version control')
  if (!hasMark(file, userDir)) throw refused(file, 'it came from somewhere else: it lacks the mark of your own files')
}

/** Files that SQLite would take into account beside the database. */
const LOGS = ['-wal', '-shm', '-journal']

function makeFile(file: string, project: DataProject | undefined): void {
  if (project === undefined) closeSync(openSync(file, 'a', 0o600))
  else makeMarked(file, project.userDir)
}

const refused = (file: string, reason: string): SvcError =>
  new SvcError(
    'store_unavailable',
    `${file} is not used because ${reason}: remove it, or set store.dir or SVC_DATA_DIR`,
    { retryable: false },
  )

const foldersAbove = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...foldersAbove(dirname(folder))]
