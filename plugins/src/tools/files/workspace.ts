/**
 * Confinement: what a model names as a path is only ever opened inside the workspace.
 *
 * A path is checked twice. Before the file is opened, its real path (all links resolved, of a missing file that of its
 * deepest existing parent) has to lie under the real path of the root. After it is opened without following a last
 * link, the system is asked where the open file lies, and nothing is read from or written to it before that is inside
 * too: swapping a folder for a link in between has no effect. New files are made relative to an open folder, so they land
 * in the folder that was checked, even when its path has changed.
 *
 * Where the system has no `/proc/self/fd` (macOS, Windows) the second check compares device and file number of the open
 * file with those of the path resolved once more; there, a folder that is swapped twice at the right moments could
 * still receive a new file.
 *
 * Both times, the policy is asked about the path that was found: a rule speaks of files, by whatever name or link they are
 * reached.
 *
 * Hard links look like files: a name inside the workspace whose content somebody also linked outside is
 * inside. Reading it is allowed (the Linux default `fs.protected_hardlinks` keeps people from linking what they could
 * not read), and writing never reaches the other name, because `writeInside` replaces the name and not the content.
 */
import { constants, existsSync, realpathSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { PolicyError, type ToolContext, ToolError, type Touched } from '@svc/core'
import { codeOf, show, toFileError } from './file-errors.ts'
import { assertNoSecret, isKeptFile, isSecretFile, keptFile, secretFile } from './secret-files.ts'

/** A path inside the workspace. */
export interface WorkspacePath {
  /** Real path of the workspace. */
  readonly root: string
  /** Absolute path with all links resolved; the name may not exist yet. */
  readonly real: string
  /** The path as it was asked for, relative to the workspace, with `/`; `.` for the workspace itself. */
  readonly relative: string
  readonly exists: boolean
  /** Asks the policy about a path that is about to be used. */
  readonly check?: ToolContext['check']
}

/** Where a path lies, and who is asked about it. */
export type FileScope = Pick<ToolContext, 'workspace' | 'check'>

/** An open folder: its entries are reached as `<path>/<name>`, even when the folder has been moved meanwhile. */
export interface Folder {
  readonly path: string
  close(): Promise<void>
}

const MOST_LINKS = 40
const LONGEST_PATH = 4096
/** Made by the kernel out of nothing: never part of a workspace that merely contains them. */
const KERNEL_FOLDERS = ['/proc', '/sys', '/dev']
const hasFileLinks = process.platform === 'linux' && existsSync('/proc/self/fd')
// Windows has none of these three
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0
const NO_WAIT = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
const FOLDER = constants.O_DIRECTORY ?? 0

/**
 * Resolves a path that a model gave.
 *
 * Relative paths start at the workspace; absolute ones are accepted when they are inside. `~` is a name like any other.
 *
 * @throws PolicyError `path_outside_root`; what the policy says to the path
 * @throws ToolError `tool_failed` where the path cannot be followed, `tool_bad_args` where it is too long
 */
export async function resolveInside({ workspace, check }: FileScope, path: string): Promise<WorkspacePath> {
  if (path.includes('\0')) throw outside(path, 'holds a NUL character')
  const fault = windowsFault(path)
  if (fault !== undefined) throw outside(path, fault)
  if (path.length > LONGEST_PATH) throw new ToolError('tool_bad_args', `path is longer than ${LONGEST_PATH} characters`)
  const root = await realpath(workspace).catch((error: unknown) => {
    throw new ToolError('tool_failed', `the workspace ${show(workspace)} cannot be used (${codeOf(error)})`, {
      cause: error,
    })
  })
  const asked = toInner(root, resolve(workspace), path)
  if (asked === undefined) throw outside(path)
  try {
    const { real, exists } = await toReal(asked)
    if (!isInside(root, real) || isKernelPath(root, real)) throw outside(path)
    const place: WorkspacePath = { root, real, relative: toRelative(root, asked), exists, ...(check && { check }) }
    checkPlace(place)
    return place
  } catch (error) {
    throw toFileError(error, path)
  }
}

/** What keeps a path from being the name of one file on Windows: further names of a file that rules do not see, and devices. */
export function windowsFault(path: string, platform: NodeJS.Platform = process.platform): string | undefined {
  if (platform !== 'win32') return undefined
  const names = path.replace(/^[A-Za-z]:(?=[\\/])/, '').split(/[\\/]/)
  if (names.some((name) => name.includes(':'))) return 'names a stream of a file'
  if (names.some((name) => /[. ]$/.test(name) && name !== '.' && name !== '..')) return 'ends in a dot or a space'
  if (names.some((name) => /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name))) return 'names a device'
  return undefined
}

/** What a call touches that names one path: the path, and where its links lead. */
export async function touchedPaths(scope: FileScope, path: string): Promise<Touched> {
  return { paths: namesOf(await resolveInside(scope, path)) }
}

/**
 * Opens an existing file inside the workspace, for reading.
 *
 * @throws PolicyError `path_outside_root` when the opened file is outside; what the policy says to it
 */
export async function openInside(place: WorkspacePath): Promise<FileHandle> {
  return openChecked(place, place.real, constants.O_RDONLY | NO_FOLLOW | NO_WAIT, checkPlace)
}

/** Whether the policy lets a place be used. */
export function isOpen(place: WorkspacePath): boolean {
  try {
    checkPlace(place)
    return true
  } catch (error) {
    if (error instanceof PolicyError) return false
    throw error
  }
}

/** Opens an existing folder inside the workspace, to list it or to change its entries. */
export async function openFolder(place: WorkspacePath): Promise<Folder> {
  return openAnyFolder(place, checkPlace)
}

/** @param check is asked about where the folder lies; a folder on the way to a file is not asked about */
async function openAnyFolder(place: WorkspacePath, check?: (place: WorkspacePath) => void): Promise<Folder> {
  if (!hasFileLinks) {
    const real = await realpath(place.real)
    if (!isInside(place.root, real)) throw outside(place.relative)
    check?.({ ...place, real })
    return { path: real, close: async () => {} }
  }
  return toFolder(await openChecked(place, place.real, constants.O_RDONLY | NO_FOLLOW | FOLDER, check))
}

/**
 * Opens the folder that a file is to be written to; folders that are missing are made.
 *
 * @throws PolicyError `path_outside_root`; what the policy says to the file
 */
export async function openParent(place: WorkspacePath): Promise<Folder> {
  const segments = relative(place.root, dirname(place.real)).split(sep).filter(Boolean)
  const top: WorkspacePath = { ...place, real: place.root }
  let folder = await openAnyFolder(top)
  let real = place.root
  for (const segment of segments) {
    real = join(real, segment)
    const path = join(folder.path, segment)
    const parent = folder
    try {
      await mkdir(path).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error
      })
      folder = hasFileLinks
        ? toFolder(await openChecked(place, path, constants.O_RDONLY | NO_FOLLOW | FOLDER))
        : await openAnyFolder({ ...place, real })
    } catch (error) {
      throw toFileError(error, toRelative(place.root, real))
    } finally {
      await parent.close()
    }
  }
  try {
    const found = hasFileLinks ? await readlink(folder.path) : real
    checkPlace({ ...place, real: join(found, basename(place.real)) })
    return folder
  } catch (error) {
    await folder.close()
    throw toFileError(error, place.relative)
  }
}

/** The refusal of a path. */
export function outside(path: string, why = 'is outside of the workspace'): PolicyError {
  return new PolicyError('path_outside_root', `${show(path)} ${why}; tools reach only what is inside it`, {
    details: { path },
  })
}

/** Whether an absolute path is a folder or inside it; `/ws-evil` is not inside `/ws`. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** A path with its links resolved; as it is where nothing is there. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

async function openChecked(
  place: WorkspacePath,
  path: string,
  flags: number,
  check?: (place: WorkspacePath) => void,
): Promise<FileHandle> {
  let handle: FileHandle
  try {
    handle = await open(path, flags)
  } catch (error) {
    const code = codeOf(error)
    const swapped = code === 'ELOOP' || (code === 'ENOTDIR' && (await isLink(path)))
    throw swapped ? outside(place.relative, 'became a link while it was opened') : toFileError(error, place.relative)
  }
  try {
    const real = await whereIs(handle, place)
    confirmInside(place, real)
    await assertNoSecret(handle)
    check?.({ ...place, real })
    return handle
  } catch (error) {
    await handle.close()
    throw toFileError(error, place.relative)
  }
}

function confirmInside({ root, relative: asked }: WorkspacePath, real: string): void {
  if (!isInside(root, real) || isKernelPath(root, real)) throw outside(asked)
}

/** The name that a place was asked for under, and the one that its links lead to. */
function namesOf({ root, real, relative: asked }: WorkspacePath): string[] {
  if (real === `${root}${sep}${asked}`) return [asked] // no link: walks ask this of each file
  return [...new Set([asked, toRelative(root, real)])]
}

function checkPlace(place: WorkspacePath): void {
  if (isSecretFile(place.real)) throw secretFile(place.relative)
  if (isKeptFile(place.root, place.real)) throw keptFile(place.relative)
  if (place.check !== undefined) for (const path of namesOf(place)) place.check({ path })
}

async function whereIs(handle: FileHandle, place: WorkspacePath): Promise<string> {
  if (hasFileLinks) return readlink(`/proc/self/fd/${handle.fd}`)
  const real = await realpath(place.real)
  const [opened, named] = await Promise.all([handle.stat({ bigint: true }), stat(real, { bigint: true })])
  if (opened.ino !== named.ino || opened.dev !== named.dev) throw outside(place.relative, 'changed while it was opened')
  return real
}

function toFolder(handle: FileHandle): Folder {
  return { path: `/proc/self/fd/${handle.fd}`, close: () => handle.close() }
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )
}

/** The path below the root's real path, without reading the disk; undefined when the text alone leads outside. */
function toInner(root: string, workspace: string, path: string): string | undefined {
  const asked = resolve(root, path)
  if (isInside(root, asked)) return asked
  // an absolute path may spell the workspace as it was given, with links in it
  return isAbsolute(path) && isInside(workspace, asked) ? join(root, relative(workspace, asked)) : undefined
}

async function toReal(path: string, linksLeft = MOST_LINKS): Promise<{ real: string; exists: boolean }> {
  const missing: string[] = []
  let current = path
  for (;;) {
    try {
      const real = await realpath(current)
      return { real: join(real, ...missing.reverse()), exists: missing.length === 0 }
    } catch (error) {
      const code = codeOf(error)
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
      const parent = dirname(current)
      if (parent === current) throw error
      const target = await readlink(current).catch(() => undefined)
      if (target === undefined) {
        missing.push(basename(current))
        current = parent
      } else {
        // a link to what does not exist: what counts is where it would be
        if (linksLeft-- <= 0) throw error
        current = resolve((await toReal(parent, linksLeft)).real, target)
      }
    }
  }
}

function isKernelPath(root: string, real: string): boolean {
  return KERNEL_FOLDERS.some((folder) => isInside(folder, real) && !isInside(folder, root))
}

function toRelative(root: string, path: string): string {
  return relative(root, path).split(sep).join('/') || '.'
}
