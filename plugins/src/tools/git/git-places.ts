import { chmodSync, type Dirent, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import { stateOf } from '../sandbox/kept-files.ts'
import { isGitName, isRepository } from './git-names.ts'

/** What a folder holds, as far as git is concerned. */
interface Seen {
  readonly changedNs: bigint
  /** Whether it was looked at long enough after its last change for that time to tell the next one. */
  readonly isSettled: boolean
  readonly folders: readonly string[]
  /** Its repositories: names that are `.git` to some system, and `HEAD` where the folder is one by itself. */
  readonly places: readonly string[]
}

/** Times of changes go in steps of a few milliseconds. */
const SETTLED_MS = 200
const FOLDERS_AT_ONCE = 1_000

/** Finds the repositories of a workspace; a folder that has not changed is not read again. */
export class GitPlaces {
  #workspace = ''
  #seen: ReadonlyMap<string, Seen> = new Map()

  /**
   * @param workspace absolute path with links resolved
   * @returns each `.git`, and the `HEAD` of each folder that is a repository by itself, with what is there (`stateOf`)
   */
  async find(workspace: string): Promise<Map<string, string>> {
    return this.#walk(workspace, (path) => !isGitName(basename(path)))
  }

  /** The places that were not there, or were something else; also those inside of such. */
  async findNew(workspace: string, before: ReadonlyMap<string, string>): Promise<string[]> {
    const isNew = (path: string): boolean => before.get(path) !== stateOf(path)
    return [...(await this.#walk(workspace, isNew)).keys()].filter(isNew)
  }

  async #walk(workspace: string, isEntered: (folder: string) => boolean): Promise<Map<string, string>> {
    const before = this.#workspace === workspace ? this.#seen : new Map<string, Seen>()
    const now = new Map<string, Seen>()
    const found = new Map<string, string>()
    const open = [workspace]
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      if (now.size % FOLDERS_AT_ONCE === 0) await pause()
      const seen = look(folder, before.get(folder))
      if (seen === undefined) continue
      now.set(folder, seen)
      for (const path of seen.places.map((name) => join(folder, name))) found.set(path, stateOf(path))
      open.push(...seen.folders.map((name) => join(folder, name)).filter((path) => isEntered(path)))
    }
    this.#workspace = workspace
    this.#seen = now
    return found
  }
}

/** The folders and files that a program must not change for a place to stay as it is. */
export function partsOf(place: string): string[] {
  if (!isGitName(basename(place))) return [dirname(place)]
  try {
    return lstatSync(place).isSymbolicLink() ? [realpathSync(place)] : [place]
  } catch {
    return [] // it leads nowhere
  }
}

function look(folder: string, before: Seen | undefined): Seen | undefined {
  const stats = lstatSync(folder, { bigint: true, throwIfNoEntry: false })
  if (stats?.isDirectory() !== true) return undefined
  const changedNs = stats.ctimeNs
  if (before?.isSettled === true && before.changedNs === changedNs) return before
  const isSettled = BigInt(Date.now()) * 1_000_000n - changedNs > BigInt(SETTLED_MS) * 1_000_000n
  const entries = read(folder)
  const names = entries.map(({ name }) => name)
  const head = isRepository(names) ? names.filter((name) => name.toLowerCase() === 'head') : []
  return {
    changedNs,
    isSettled,
    folders: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    places: [...names.filter(isGitName), ...head],
  }
}

/** A folder that may be searched and not listed would hide what git finds there. */
function read(folder: string): Dirent[] {
  const list = () => readdirSync(folder, { withFileTypes: true })
  try {
    return list()
  } catch {
    try {
      chmodSync(folder, 0o700)
      return list()
    } catch {
      return [] // it belongs to somebody else, or is gone
    }
  }
}
