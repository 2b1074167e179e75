/** What a program may not see or change of a workspace, and what is put right after it. */
import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type ClosedPaths, PolicyError, ToolError } from '@svc/core'
import { show } from '../../files/file-errors.ts'
import { findSecretFiles } from '../../files/secret-files.ts'
import { isInside, realOf } from '../../files/workspace.ts'
import { foldersOfGit, isGitName } from '../../git/git-names.ts'
import { findGitPrograms } from '../../git/git-programs.ts'
import type { Guarded } from '../../programs/always-ask.ts'
import { absentNames, cover, type Mount, workspaceMounts } from '../view.ts'
import { findClosed } from './closed-paths.ts'
import { shownSockets } from './find-sockets.ts'
import { watchFiles } from './kept-files.ts'
import { isText, stateOf } from './on-disk.ts'
import { linkedNames, mountedNames } from './other-names.ts'
import type { Scan, WorkspaceScan } from './scan.ts'
import { setAside } from './set-aside.ts'
import { dropSetId } from './set-id.ts'

export interface GuardOptions {
  /** Absolute path with links resolved. */
  readonly workspace: string
  /** What the program sees beside the workspace. */
  readonly outside: readonly Mount[]
  /** Whether it may change the workspace. */
  readonly writes: boolean
  /** Whether a person approved the call. */
  readonly isApproved: boolean
  /** Whether the program is git itself. */
  readonly isGit: boolean
  /** Whether the system refuses it bits of setuid and setgid. */
  readonly refusesSetId: boolean
  readonly guarded: Guarded
  readonly closedPaths: ClosedPaths | undefined
}

export interface WorkspaceGuard {
  /** What the program sees, the workspace in it. */
  readonly mounts: readonly Mount[]
  /** Whether all sockets that it could reach are known, and hidden. */
  readonly hidesSockets: boolean
  /**
   * Sets aside what the program made to be run later.
   *
   * @throws ToolError `tool_failed` where something stays
   */
  restore(say: (line: string) => void): Promise<void>
}

const MOST_ROUNDS = 10

/**
 * @throws ToolError `sandbox_unavailable`, `tool_failed`, PolicyError `policy_denied` where something cannot be kept from a
 *   program
 */
export async function guardWorkspace(scanner: WorkspaceScan, options: GuardOptions): Promise<WorkspaceGuard> {
  const { workspace, outside, isApproved, isGit, refusesSetId, guarded, closedPaths } = options
  const { programs } = guarded
  const folders = guarded.folders.map(realOf)
  const files = [...new Set([...(guarded.files ?? []).map(realOf), ...secretFiles()])].filter(
    (path) => !folders.some((folder) => isInside(folder, path)),
  )
  if (folders.includes(workspace))
    throw new PolicyError(
      'policy_denied',
      `programs do not run in ${show(workspace)}, where svc keeps its data: set store.dir to another folder`,
    )
  const scan = await scanner.find(workspace)
  const { places } = scan
  for (const place of places.keys()) if (!isText(place)) throw unreadable(place)
  const writes = options.writes && !places.has(join(workspace, 'HEAD'))
  // git itself, where a person approved the call, writes what is git's; never another program
  const writesGit = writes && isApproved && isGit
  const ofGit = [...places.keys()].filter((place) => !(writesGit && dirname(place) === workspace)).flatMap(partsOf)
  const named = writes ? findGitPrograms(workspace, topsOf(workspace, places)) : { files: [], folders: [] }
  // what a person approved may change what is run, but not what svc, its tools and git run
  const isFree = !writes || isApproved
  const kept = [
    ...[...programs, ...named.files].filter((path) => stateOf(path) === 'a file'),
    ...[...ofGit, ...named.folders].filter((path) => existsSync(path)),
    ...scan.closed,
    ...(isFree ? [] : scan.guarded),
  ]
  const closed = closedPaths === undefined ? [] : (findClosed(workspace, closedPaths) ?? [])
  const hidden = [...new Set([...folders, ...files, ...mountedNames([...folders, ...files])])]
  const shown = [...outside, ...workspaceMounts({ workspace, writes, hidden, closed, kept, writesGit })]
  const isShown = (path: string): boolean =>
    !isInside(workspace, path) &&
    shown.some(({ kind, path: at }) => (kind === 'read' || kind === 'copy') && isInside(at, path))
  const links = await linkedNames(scanner, workspace, [...folders, ...files])
  const covered = [
    ...hidden.filter((path) => isShown(path) && stateOf(path) !== 'nothing'),
    ...links.filter((path) => !hidden.some((folder) => isInside(folder, path))),
  ].map(cover)
  const mounts = [...shown, ...covered]
  const sockets = shownSockets(scan.sockets, mounts).map((path): Mount => ({ kind: 'blank', path }))

  const own = join(workspace, '.svc')
  const hadOwn = existsSync(own)
  const absent = [...absentNames(workspace, folders), ...named.folders.filter((path) => stateOf(path) === 'nothing')]
  const watch = watchFiles(workspace, absent, [...programs, ...named.files], !isFree)
  const sinceMs = Date.now()
  const dropBits = refusesSetId ? undefined : (path: string) => dropSetId(path, sinceMs)
  return {
    mounts: uncovered([...mounts, ...sockets]),
    hidesSockets: scan.closed.length === 0,
    async restore(say) {
      if (!writes) return
      await inTurn(
        // made to be covered, where nobody has put anything into it
        () => (hadOwn ? undefined : rmdir(own).catch(() => {})),
        () => setAside(workspace, watch.findChanged(), say),
        () => (writesGit ? undefined : setGitAside(scanner, workspace, scan, say)),
        // what git itself may write to is looked through as well
        () => dropBits && scanner.findNew(workspace, writesGit ? { ...scan, places: new Map() } : scan, dropBits),
      )
    },
  }
}

/** What no later mount covers: all of it can be seen, in whatever order a folder and what lies in it are mounted. */
const uncovered = (mounts: readonly Mount[]): Mount[] =>
  mounts.filter(({ path }, index) => !mounts.some((later, at) => at > index && isInside(later.path, path)))

/**
 * The keys of servers.
 *
 * @throws PolicyError `policy_denied` where one has another name, which may lie anywhere
 */
function secretFiles(): string[] {
  const secrets = findSecretFiles()
  const linked = secrets.find(({ names }) => names > 1)
  if (linked !== undefined)
    throw new PolicyError(
      'policy_denied',
      `no program runs while ${show(linked.real)}, which holds a key of a server, has a second name: remove that hard link`,
    )
  return secrets.map(({ real }) => real)
}

/** Each of these whatever the one before met. @throws what the first met */
async function inTurn(...steps: (() => unknown)[]): Promise<void> {
  const errors: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}

/** Makes what became git's no git's; again, since a repository under another name is one by itself. */
async function setGitAside(
  scanner: WorkspaceScan,
  workspace: string,
  before: Scan,
  say: (line: string) => void,
): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const made = await scanner.findNew(workspace, before)
    if (made.length === 0) return
    await setAside(workspace, made.reverse(), say)
  }
  throw new ToolError('tool_failed', `a program made a git repository in ${show(workspace)}, and svc cannot rename it`)
}

/** The folders and files that a program must not change for a place of git to stay as it is. */
function partsOf(place: string): string[] {
  if (!isGitName(basename(place))) return [dirname(place)]
  try {
    return lstatSync(place).isSymbolicLink() ? [realpathSync(place)] : [place]
  } catch {
    return [] // it leads nowhere
  }
}

/** Folders that git of a person works in: those of the workspace that have a repository, and those around it. */
const topsOf = (workspace: string, places: Scan['places']): string[] => [
  ...new Set([...foldersOfGit(join(workspace, '-')), ...[...places.keys()].map((place) => dirname(place))]),
]

const unreadable = (place: string): ToolError =>
  new ToolError(
    'sandbox_unavailable',
    `${show(place)} is of a git repository in a folder whose name is no UTF-8, so svc cannot tell what its settings name: rename the folder`,
  )
