/** The one walk over a workspace before a program, and after it. */
import { lstatSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import { ToolError } from '@svc/core'
import { show } from '../../files/file-errors.ts'
import { isGitName, isRepository } from '../../git/git-names.ts'
import { GUARDED_FOLDERS, isGuardedName } from '../../programs/always-ask.ts'
import { type FolderEntry, readFolder, readOpened, stateOf, toPath } from './on-disk.ts'

/** What a workspace holds that is kept from programs. Absolute paths, see `on-disk.ts`. */
export interface Scan {
  /** Each `.git`, and the `HEAD` of each folder that is a repository by itself, with what is there (`stateOf`). */
  readonly places: ReadonlyMap<string, string>
  /** Files and folders that decide what is run, by their names. */
  readonly guarded: readonly string[]
  readonly sockets: readonly string[]
  /** Folders that cannot be looked into; a program could open them up. */
  readonly closed: readonly string[]
}

type EachFile = (path: string) => void

/** What a folder holds. */
interface Seen {
  /** When it changed, and which folder it is. */
  readonly changedMs: number
  readonly device: number
  readonly inode: number
  /** Whether it was looked at long enough after its last change for that time to tell the next one. */
  readonly isSettled: boolean
  readonly isClosed: boolean
  readonly folders: readonly Folder[]
  readonly places: readonly string[]
  readonly guarded: readonly string[]
  readonly sockets: readonly string[]
}

interface Folder {
  readonly path: string
  /** Whether it lies in a `.git`, of which only sockets count. */
  readonly isGits: boolean
  /** Whether what decides what is run does not count by its name: it is made anew, or counts with the folder around. */
  readonly isPassed: boolean
}

/** Made anew by package managers and builds. */
export const REMADE: ReadonlySet<string> = new Set(
  '.git node_modules bower_components __pycache__ .venv dist build target coverage'.split(' '),
)
/** Times of changes go in steps of a few milliseconds. */
const SETTLED_MS = 200
const FOLDERS_AT_ONCE = 1_000
const MOST_FOLDERS = 200_000

/**
 * Looks through workspaces, links not followed. A folder's time of change says whether it has to be read again: the system sets
 * it with each name that comes, goes, or is put in the place of another, and only who sets the clock chooses it.
 */
export class WorkspaceScan {
  #workspace = ''
  #seen: ReadonlyMap<string, Seen> = new Map()

  /**
   * @param workspace absolute path with links resolved
   * @param eachFile is called with each file
   * @throws ToolError `tool_failed` where there are more folders than can be looked through
   */
  async find(workspace: string, eachFile?: EachFile): Promise<Scan> {
    const places = new Map<string, string>()
    const [guarded, sockets, closed]: [string[], string[], string[]] = [[], [], []]
    const now = await this.#walk(workspace, ({ path, isGits, isPassed }, before) => {
      const seen = look(path, before, readFolder, eachFile)
      if (seen === undefined) return undefined
      const at = (names: readonly string[]): string[] => names.map((name) => `${path}/${name}`)
      if (seen.isClosed) closed.push(path)
      sockets.push(...at(seen.sockets))
      if (!isPassed) guarded.push(...at(seen.guarded))
      if (!isGits) for (const place of at(seen.places)) places.set(place, stateOf(place))
      // which holds many folders, and files alone
      const isEntered = (inner: Folder): boolean => basename(inner.path) !== 'objects'
      return { seen, entered: isGits && eachFile === undefined ? seen.folders.filter(isEntered) : seen.folders }
    })
    this.#workspace = workspace
    this.#seen = now
    return { places, guarded, sockets, closed }
  }

  /**
   * The places of git that were not there before a program, or were something else; also those inside of such. Folders that it
   * closed are opened; those that were closed before are as they were.
   *
   * @param eachFile is called with each file, but of a `.git` that was there
   * @throws as `find` does
   */
  async findNew(workspace: string, { places, closed }: Scan, eachFile?: EachFile): Promise<string[]> {
    const made: string[] = []
    const isNew = (path: string): boolean => places.get(path) !== stateOf(path)
    await this.#walk(workspace, ({ path }, before) => {
      const seen = look(path, before, readOpened, eachFile)
      if (seen === undefined) return undefined
      made.push(...seen.places.map((name) => join(path, name)).filter(isNew))
      const isEntered = (inner: Folder): boolean =>
        (!inner.isGits || isNew(inner.path)) && (closed.length === 0 || !closed.includes(inner.path))
      return { seen, entered: seen.folders.filter(isEntered) }
    })
    return made
  }

  async #walk(
    workspace: string,
    visit: (folder: Folder, before: Seen | undefined) => { seen: Seen; entered: readonly Folder[] } | undefined,
  ): Promise<Map<string, Seen>> {
    const before = this.#workspace === workspace ? this.#seen : new Map<string, Seen>()
    const now = new Map<string, Seen>()
    const open: Folder[] = [{ path: workspace, isGits: false, isPassed: false }]
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      if (now.size % FOLDERS_AT_ONCE === 0) await pause()
      if (now.size > MOST_FOLDERS)
        throw new ToolError(
          'tool_failed',
          `${show(workspace)} holds more than ${MOST_FOLDERS} folders, too many to look for what programs may not change: work in a folder further down`,
        )
      const { path, isGits, isPassed } = folder
      const visited = visit(folder, before.get(path))
      if (visited === undefined) continue
      now.set(path, visited.seen)
      for (const inner of visited.entered)
        open.push(
          isGits || isPassed
            ? { path: inner.path, isGits: isGits || inner.isGits, isPassed: isPassed || inner.isPassed }
            : inner,
        )
    }
    return now
  }
}

function look(
  folder: string,
  before: Seen | undefined,
  read: (folder: string) => FolderEntry[] | undefined,
  eachFile: EachFile | undefined,
): Seen | undefined {
  const stats = lstatSync(toPath(folder), { throwIfNoEntry: false })
  if (stats?.isDirectory() !== true) return undefined
  const { ctimeMs, dev, ino } = stats
  const isSame = before?.changedMs === ctimeMs && before.device === dev && before.inode === ino
  if (isSame && before.isSettled && eachFile === undefined) return before
  const found = read(folder)
  const entries = found ?? []
  for (const { name, is } of entries) if (is.isFile()) eachFile?.(join(folder, name))
  const names = entries.map(({ name }) => name)
  const those = (fits: (entry: FolderEntry) => boolean): string[] => entries.filter(fits).map(({ name }) => name)
  return {
    changedMs: ctimeMs,
    device: dev,
    inode: ino,
    isSettled: Date.now() - ctimeMs > SETTLED_MS,
    isClosed: found === undefined,
    folders: those(({ is }) => is.isDirectory()).map((name) => ({
      path: `${folder}/${name}`,
      isGits: isGitName(name),
      isPassed: REMADE.has(name) || GUARDED_FOLDERS.has(name.toLowerCase()),
    })),
    places: [
      ...names.filter(isGitName),
      ...(isRepository(names) ? names.filter((name) => name.toLowerCase() === 'head') : []),
    ],
    guarded: those(({ name, is }) => !REMADE.has(name) && isGuarded(name, is)),
    sockets: those(({ is }) => is.isSocket()),
  }
}

const isGuarded = (name: string, is: FolderEntry['is']): boolean =>
  is.isDirectory() ? GUARDED_FOLDERS.has(name.toLowerCase()) : is.isFile() && isGuardedName(name)
