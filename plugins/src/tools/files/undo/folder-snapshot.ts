import { lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import type { FileChange, PathContent } from '@svc/core'
import { type Guarded, isKeptPlace } from '../../programs/always-ask.ts'
import { isText, readFolder } from '../../sandbox/workspace/on-disk.ts'
import { readLeftOut } from '../find/walk.ts'
import { findSecretFiles } from '../secret-files.ts'
import { linkState, modeOf, placeOf, readState } from './path-state.ts'

/** More is not looked at. */
const MOST_ENTRIES = 20_000
const MOST_CHANGES = 5_000
/** Of all files whose content is at hand. */
const MOST_HELD_BYTES = 33_554_432
/** Times of changes go in steps of a few milliseconds. */
const SETTLED_MS = 200
const AT_ONCE = 500
const MOST_NAMED = 5
/** What file tools and undo write to before it takes its name. */
const OWN_NAME = /^\.svc-(?:undo-)?[0-9a-f]{16}(?:\.tmp)?$/

/** A file or folder as it was looked at. */
interface Seen {
  /** What tells the next change of a file, by the system's word. */
  readonly mark: string
  readonly isSettled: boolean
  readonly state: PathContent
}

interface Snapshot {
  readonly seen: ReadonlyMap<string, Seen>
  /** What was not looked at: installed packages, builds, caches and what git ignores. */
  readonly leftOut: readonly string[]
  readonly isWhole: boolean
}

/** What changed between two looks, and what else may have. */
export interface Difference {
  readonly changes: readonly FileChange[]
  readonly unseen: string | undefined
}

/** Looks at a folder before a program and after it. What was read once is read again where the system says that it changed. */
export class FolderSnapshots {
  #root = ''
  #known: ReadonlyMap<string, Seen> = new Map()
  readonly #guarded: Guarded

  constructor(guarded: Guarded) {
    this.#guarded = guarded
  }

  /**
   * @param root absolute path with links resolved
   * @returns what says, after a program, what it changed
   */
  async begin(
    root: string,
    isClosed: (path: string) => boolean,
  ): Promise<(isConfined: boolean) => Promise<Difference>> {
    const before = await this.#take(root, isClosed)
    return async (isConfined) => differenceOf(before, await this.#take(root, isClosed), isConfined)
  }

  async #take(root: string, isClosed: (path: string) => boolean): Promise<Snapshot> {
    const known = this.#root === root ? this.#known : new Map<string, Seen>()
    const isLeftOut = await readLeftOut(placeOf(root, ''))
    const seen = new Map<string, Seen>()
    const leftOut: string[] = []
    const open = ['']
    const secrets = new Set(findSecretFiles().map(({ real }) => real))
    let held = 0
    for (let folder = open.pop(); folder !== undefined && seen.size <= MOST_ENTRIES; folder = open.pop()) {
      const entries = readFolder(join(root, folder))
      if (entries === undefined) leftOut.push(folder)
      for (const { name, is } of entries ?? []) {
        const path = folder === '' ? name : `${folder}/${name}`
        const real = join(root, path)
        if (OWN_NAME.test(name) || this.#isSvcs(real) || secrets.has(real) || isClosed(path)) continue
        if (!isText(name) || isLeftOut(path, is.isDirectory())) {
          leftOut.push(path)
          continue
        }
        const found = look(root, path, known.get(path), MOST_HELD_BYTES - held)
        const one = found instanceof Promise ? await found : found
        if (one === undefined) continue
        held += one.state.content?.length ?? 0
        seen.set(path, one)
        if (one.state.kind === 'folder') open.push(path)
        if (seen.size % AT_ONCE === 0) await pause()
      }
    }
    this.#root = root
    this.#known = seen
    return { seen, leftOut, isWhole: seen.size <= MOST_ENTRIES }
  }

  /** What no program sees. */
  #isSvcs(real: string): boolean {
    return isKeptPlace(real, this.#guarded) || this.#guarded.files?.includes(real) === true
  }
}

/** @param bytesLeft bytes of content that may be held */
function look(
  root: string,
  path: string,
  known: Seen | undefined,
  bytesLeft: number,
): Seen | undefined | Promise<Seen> {
  const real = join(root, path)
  const found = lstatSync(real, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  const mode = modeOf(found)
  const isSettled = Date.now() - found.ctimeMs > SETTLED_MS
  const { dev, ino, size, mtimeMs, ctimeMs } = found
  const mark = [dev, ino, size, mtimeMs, ctimeMs, mode].join()
  if (found.isDirectory()) return { mark: `${mode}`, isSettled, state: { kind: 'folder', mode } }
  if (found.isSymbolicLink()) return { mark, isSettled, state: linkState(readlinkSync(real, { encoding: 'buffer' })) }
  if (!found.isFile()) return undefined
  const isKnown = known?.mark === mark && known.isSettled
  if (isKnown && (known.state.content === undefined || size <= bytesLeft)) return known
  if (size > bytesLeft) return { mark, isSettled, state: { kind: 'file', mode, bytes: size, lost: 'full' } }
  const unread = { kind: 'file' as const, mode, bytes: size, lost: 'large' as const }
  const state = readState(placeOf(root, path)).catch(() => undefined)
  return state.then((read) => ({ mark, isSettled, state: read ?? unread }))
}

function differenceOf(before: Snapshot, after: Snapshot, isConfined: boolean): Difference {
  if (!before.isWhole || !after.isWhole)
    return { changes: [], unseen: `what it changed is not known: there are more than ${MOST_ENTRIES} files` }
  const paths = [...new Set([...before.seen.keys(), ...after.seen.keys()])].sort()
  const changed = paths.filter((path) => !isSame(before.seen.get(path), after.seen.get(path)))
  const changes = changed.slice(0, MOST_CHANGES).map((path) => ({
    path,
    before: before.seen.get(path)?.state,
    after: after.seen.get(path)?.state,
  }))
  const leftOut = [...new Set([...before.leftOut, ...after.leftOut])].filter((path) => !isConfined || path !== '.git')
  const named = [...leftOut.slice(0, MOST_NAMED), ...(leftOut.length > MOST_NAMED ? ['…'] : [])].join(', ')
  const beyond = changed.length - changes.length
  const unseen = [
    ...(leftOut.length > 0 ? [`in ${named}`] : []),
    ...(isConfined ? [] : ['outside of the workspace']),
    ...(beyond > 0 ? [`in ${beyond} more files`] : []),
  ]
  return { changes, unseen: unseen.length === 0 ? undefined : `what it changed ${unseen.join(' and ')} is not known` }
}

function isSame(one: Seen | undefined, other: Seen | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  if (one.state.kind !== other.state.kind || one.state.mode !== other.state.mode) return false
  if (one.state.sha256 !== undefined && other.state.sha256 !== undefined) return one.state.sha256 === other.state.sha256
  return one.mark === other.mark
}
