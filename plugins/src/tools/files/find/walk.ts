import type { Dirent, Stats } from 'node:fs'
import { lstat, opendir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../file-errors.ts'
import { isInside, isOpen, openFolder, openInside, type WorkspacePath } from '../workspace.ts'
import { type GitIgnore, parseGitIgnore } from './git-ignore.ts'
import { createFileGlob } from './glob.ts'

/** A file or folder that a walk found. */
export interface Entry {
  /** Relative to the workspace, with `/`, without one at the end. */
  readonly path: string
  /** Where to open it: see `resolveInside`. */
  readonly place: WorkspacePath
  readonly kind: 'file' | 'folder'
  /** 1 for the entries of the folder where the walk began. */
  readonly depth: number
}

/** Facts of a walk besides its entries; complete when it has ended. */
export interface WalkReport {
  /** Folders that could not be read, with the system's code. */
  unreadable: { path: string; code: string }[]
  /** How many files and folders were left out because the policy does not let the call use them. */
  closed: number
  /** True when it stopped at `MOST_ENTRIES`. */
  stopped: boolean
}

export const emptyReport = (): WalkReport => ({ unreadable: [], closed: 0, stopped: false })

/** What is said of files that rules close; undefined where there are none. */
export function tellClosed(closed: number): string | undefined {
  if (closed === 0) return undefined
  return `… ${closed} ${closed === 1 ? 'file or folder is' : 'files and folders are'} left out: the policy does not allow them here`
}

/** What a listing or a search says at its end about what it left out. */
export function tellLeftOut({ stopped, closed }: WalkReport, more: number): string[] {
  const early = `… stopped early, after ${MOST_ENTRIES} files and folders: this is not everything; ask for a folder further down`
  return [...(stopped ? [early] : []), tellClosed(closed) ?? [], ...(more > 0 ? [`… ${more} more`] : [])].flat()
}

/** Which files a pattern is about, by their paths from the workspace or from the folder that was asked for. */
export function createFilter(pattern: string | undefined, { relative }: WorkspacePath): (path: string) => boolean {
  if (pattern === undefined) return () => true
  const glob = createFileGlob(pattern)
  const prefix = relative === '.' ? '' : `${relative}/`
  return (path) => glob(path) || (prefix !== '' && glob(path.slice(prefix.length)))
}

/** A walk looks at no more entries than this. */
export const MOST_ENTRIES = 50_000

/** Folders of tools, not of people. */
const TOOL_FOLDERS = new Set(
  (
    '.git .hg .svn node_modules bower_components __pycache__ .venv .cache .parcel-cache .turbo .next .nuxt .svelte-kit ' +
    '.gradle .tox .nox .mypy_cache .pytest_cache .ruff_cache .nyc_output .eggs'
  ).split(' '),
)
/** Folders that are built from others. */
const BUILT_FOLDERS = new Set(['dist', 'coverage', 'target'])
const MOST_IGNORE_BYTES = 262_144

/**
 * Files and folders below a folder of the workspace, in the order of their paths, folder by folder.
 *
 * Left out are version control, installed packages, caches and builds, and what the `.gitignore` at the root excludes.
 * A walk that begins inside of such a folder leaves out only tool folders further down. Links are not followed into
 * folders; links that lead out of the workspace or nowhere, what is neither file nor folder, and what the policy closes are
 * left out.
 *
 * @throws the signal's reason when it is aborted
 */
export async function* walk(
  start: WorkspacePath,
  options: { signal: AbortSignal; depth?: number; report?: WalkReport },
): AsyncGenerator<Entry> {
  yield* walkFolder(start, 1, await toWalker(start, options))
}

async function toWalker(
  start: WorkspacePath,
  options: { signal: AbortSignal; depth?: number; report?: WalkReport },
): Promise<Walker> {
  const ignore = await readIgnore(start)
  const within = start.relative
    .split('/')
    .some((_, index, all) => isLeftOut(all.slice(0, index + 1).join('/'), true, ignore, false))
  return {
    signal: options.signal,
    depth: options.depth ?? Number.POSITIVE_INFINITY,
    report: options.report ?? emptyReport(),
    isLeftOut: (path, isFolder) => isLeftOut(path, isFolder, ignore, within),
    seen: 0,
  }
}

interface Walker {
  readonly signal: AbortSignal
  readonly depth: number
  readonly report: WalkReport
  readonly isLeftOut: (path: string, isFolder: boolean) => boolean
  seen: number
}

async function* walkFolder(folder: WorkspacePath, depth: number, walker: Walker): AsyncGenerator<Entry> {
  const entries = await readFolder(folder, depth, walker)
  for (const entry of entries) {
    walker.signal.throwIfAborted()
    yield entry
    if (entry.kind === 'folder' && !isLinked(entry, folder) && depth < walker.depth)
      yield* walkFolder(entry.place, depth + 1, walker)
  }
}

/** Links are not followed into folders. */
const isLinked = ({ path, place }: Entry, folder: WorkspacePath): boolean =>
  place.real !== join(folder.real, path.slice(path.lastIndexOf('/') + 1))

async function readFolder(folder: WorkspacePath, depth: number, walker: Walker): Promise<Entry[]> {
  const entries: Entry[] = []
  try {
    const opened = await openFolder(folder)
    try {
      // `opendir` reads piece by piece, so a folder of a million files can be left at once
      for await (const found of await opendir(opened.path, { bufferSize: 256 })) {
        walker.signal.throwIfAborted()
        if (walker.seen >= MOST_ENTRIES) {
          walker.report.stopped = true
          break
        }
        const path = folder.relative === '.' ? found.name : `${folder.relative}/${found.name}`
        if (walker.isLeftOut(path, found.isDirectory())) continue
        walker.seen++
        const place: WorkspacePath = { ...folder, real: join(folder.real, found.name), relative: path, exists: true }
        const entry = found.isSymbolicLink() ? await followLink(place, depth) : toEntry(place, found, depth)
        if (entry === undefined) continue
        if (isOpen(entry.place)) entries.push(entry)
        else walker.report.closed++
      }
    } finally {
      await opened.close()
    }
  } catch (error) {
    if (walker.signal.aborted || depth === 1) throw error
    // a folder that is unreadable or was just removed does not end the walk
    walker.report.unreadable.push({ path: folder.relative, code: codeOf(cause(error)) ?? 'unreadable' })
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

const cause = (error: unknown): unknown => (error instanceof Error && error.cause !== undefined ? error.cause : error)

async function followLink(place: WorkspacePath, depth: number): Promise<Entry | undefined> {
  try {
    const real = await realpath(place.real)
    if (!isInside(place.root, real)) return undefined
    return toEntry({ ...place, real }, await stat(real), depth)
  } catch {
    return undefined // a link to nowhere
  }
}

function toEntry(place: WorkspacePath, found: Dirent | Stats, depth: number): Entry | undefined {
  const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : undefined
  return kind && { path: place.relative, place, kind, depth }
}

/** Size and kind of an entry; undefined when it is gone. */
export async function statEntry(entry: Entry): Promise<Stats | undefined> {
  return lstat(entry.place.real).catch(() => undefined)
}

/** What a walk over a whole workspace leaves out. */
export async function readLeftOut(root: WorkspacePath): Promise<(path: string, isFolder: boolean) => boolean> {
  const ignore = await readIgnore(root)
  return (path, isFolder) => isLeftOut(path, isFolder, ignore, false)
}

async function readIgnore(start: WorkspacePath): Promise<GitIgnore> {
  // read to leave things out, and shown to nobody
  const place: WorkspacePath = {
    root: start.root,
    real: join(start.root, '.gitignore'),
    relative: '.gitignore',
    exists: true,
  }
  try {
    const file = await openInside(place)
    try {
      const { size } = await file.stat()
      const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(size, MOST_IGNORE_BYTES)), 0)
      return parseGitIgnore(buffer.toString('utf8', 0, bytesRead))
    } finally {
      await file.close()
    }
  } catch {
    return () => false // there is none
  }
}

function isLeftOut(path: string, isFolder: boolean, ignore: GitIgnore, within: boolean): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (name === '.git' || (isFolder && TOOL_FOLDERS.has(name))) return true
  if (within) return false
  return (isFolder && BUILT_FOLDERS.has(name)) || ignore(path, isFolder)
}
