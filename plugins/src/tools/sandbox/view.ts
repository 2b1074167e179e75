/** What a program in the sandbox sees of this machine. */
import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { PolicyError } from '@svc/core'
import { SEARCH_PLACES } from '@svc/core/config'
import { show } from '../files/file-errors.ts'
import { isInside, realOf } from '../files/workspace.ts'
import { findToolchains } from './toolchains.ts'
import { foldersAround } from './workspace/kept-files.ts'
import { stateOf } from './workspace/on-disk.ts'

/** One place in the sandbox; what is mounted later covers what was there. */
export type Mount =
  /** A file or folder of this machine, at its own path. */
  | { readonly kind: 'read' | 'write'; readonly path: string }
  /** A small file of this machine, as it is when the program starts: quicker than a mount. */
  | { readonly kind: 'copy'; readonly path: string }
  /** A new empty folder in memory, of at most so many bytes; 0: nothing can be written to it. */
  | { readonly kind: 'empty'; readonly path: string; readonly bytes: number }
  /** An empty file in the place of one that is there. */
  | { readonly kind: 'blank'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly to: string }

export interface View {
  /** Of a container, whose programs there are instead of this machine's. */
  readonly image?: string | undefined
  readonly mounts: readonly Mount[]
  /** Working folder. */
  readonly folder: string
  readonly network: boolean
  readonly env: Readonly<Record<string, string>>
}

export interface ViewOptions {
  /** Absolute path with links resolved. */
  readonly workspace: string
  /** Program to run, as it was named. */
  readonly program: string
  readonly network: boolean
  readonly image?: string | undefined
  /** Further folders that may be read. */
  readonly readable?: readonly string[]
  /** Variables that the program gets beside the common ones. */
  readonly env?: Readonly<Record<string, string>>
}

export interface WorkspaceOptions {
  /** Absolute path with links resolved. */
  readonly workspace: string
  /** Whether the program may change the workspace. */
  readonly writes: boolean
  /** Folders of svc's own, with links resolved. */
  readonly hidden?: readonly string[]
  /** Files and folders inside the workspace that the program may not read or change, with links resolved. */
  readonly closed?: readonly string[]
  /** Files inside the workspace that the program may not change, beside svc's configs and what git runs. */
  readonly kept?: readonly string[]
  /** Whether the program may change the workspace's own repository, but for what names programs. Default false. */
  readonly writesGit?: boolean
}

const SYSTEM_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
/** Names, time zones, fonts of certificates, links of `update-alternatives`: nothing of a person's. */
const SYSTEM_FILES = (
  'passwd group nsswitch.conf hosts localtime timezone ld.so.cache ld.so.conf ld.so.conf.d alternatives mime.types ' +
  'ssl/certs ssl/openssl.cnf pki/tls/certs pki/ca-trust ca-certificates protocols services'
).split(' ')
const TEMPORARY_BYTES = 268_435_456
const IMAGE_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** svc's configs by name; `package.json` belongs to the project. */
export const CONFIG_NAMES: readonly string[] = SEARCH_PLACES.filter((name) => name !== 'package.json')

/**
 * The system's programs and a private `/tmp`, and the toolchains that the program needs; of an image, that `/tmp` alone.
 *
 * @throws PolicyError `policy_denied` where the workspace is a system folder, or holds the person's home
 */
export function createView({ workspace, program, network, image, readable = [], env }: ViewOptions): View {
  refuseBroad(workspace)
  const { mounts, path } =
    image === undefined ? machineView(program, workspace, network) : { mounts: [], path: IMAGE_PATH }
  const further = readable.filter((folder) => !isInside(workspace, folder)).map(toRead)
  const temporary: Mount = { kind: 'empty', path: '/tmp', bytes: TEMPORARY_BYTES }
  return {
    image,
    mounts: [temporary, ...mounts, ...further],
    folder: workspace,
    network,
    env: { ...commonEnv(), PATH: path, ...env },
  }
}

const toRead = (path: string): Mount => ({ kind: 'read', path })

function machineView(program: string, workspace: string, network: boolean): { mounts: Mount[]; path: string } {
  const files = [...SYSTEM_FILES, ...(network ? ['resolv.conf'] : [])].flatMap((name): Mount[] => {
    const found = statSync(`/etc/${name}`, { throwIfNoEntry: false })
    return found === undefined ? [] : [{ kind: found.isFile() ? 'copy' : 'read', path: `/etc/${name}` }]
  })
  const { folders, path } = findToolchains(program, workspace)
  const whole = ['/usr', ...(existsSync('/nix/store') ? ['/nix/store'] : []), ...folders].map(toRead)
  return { mounts: [...SYSTEM_FOLDERS.flatMap(systemFolder), ...files, ...whole], path }
}

/** The workspace. In it, `.svc`, svc's configs, and what is named to be kept can be read only. */
export function workspaceMounts(options: WorkspaceOptions): Mount[] {
  const { workspace, writes, hidden = [], closed = [] } = options
  const isHidden = (folder: string): boolean => isInside(workspace, folder) && isOwnPlace(folder)
  return [
    { kind: writes ? 'write' : 'read', path: workspace },
    ...(writes ? keptMounts(options) : []),
    ...[...hidden.filter(isHidden), ...closed].map(cover),
  ]
}

/** What hides a file or a folder. */
export const cover = (path: string): Mount =>
  isFolder(path) ? { kind: 'empty', path, bytes: 0 } : { kind: 'blank', path }

function refuseBroad(workspace: string): void {
  const homes = [homedir(), process.env.HOME ?? ''].filter((home) => home !== '' && home !== '/').map(realOf)
  const why = homes.some((home) => isInside(workspace, home))
    ? 'holds your home folder'
    : isInside('/usr', workspace) || ['/', '/etc', '/tmp', '/var', '/proc', '/dev', '/run'].includes(workspace)
      ? 'is a folder of the system'
      : undefined
  if (why === undefined) return
  throw new PolicyError(
    'policy_denied',
    `programs do not run in ${show(workspace)}, which ${why}: work in a project's folder`,
  )
}

function systemFolder(path: string): Mount[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return []
  return [found.isSymbolicLink() ? { kind: 'link', path, to: readlinkSync(path) } : toRead(path)]
}

/** What lies in the workspace and is not to be changed by a program. */
function keptMounts({ workspace, kept = [], hidden = [], writesGit = false }: WorkspaceOptions): Mount[] {
  const read = (path: string): Mount[] => (isOwnPlace(path) ? [toRead(path)] : [])
  const own = join(workspace, '.svc')
  // what is named by a link is here under its own name too
  const inside = kept.filter((path) => isInside(workspace, path) && path !== workspace && realOf(path) === path)
  const around = new Set([...inside, ...hidden.filter(isOwnPlace)].flatMap((path) => foldersAround(workspace, path)))
  return [
    ...[...around].sort().map((path): Mount => ({ kind: 'write', path })),
    ...(writesGit ? gitMounts(join(workspace, '.git')) : []),
    ...(isCoveredOwn(workspace, hidden) ? [{ kind: 'empty', path: own, bytes: 0 } as const] : []),
    ...[...new Set([own, ...CONFIG_NAMES.map((name) => join(workspace, name)), ...inside])].flatMap(read),
  ]
}

/**
 * Whether `.svc` is not there but is where svc keeps its data, so that it can be made to be covered. Elsewhere a folder that
 * is left behind would become where data is kept.
 */
function isCoveredOwn(workspace: string, hidden: readonly string[]): boolean {
  const own = join(workspace, '.svc')
  return !existsSync(own) && !isLink(own) && hidden.some((folder) => isInside(own, folder))
}

/** The repository can be written to, but for what names programs; a folder that is mounted cannot be renamed. */
function gitMounts(git: string): Mount[] {
  const found = lstatSync(git, { throwIfNoEntry: false })
  if (found === undefined || found.isSymbolicLink()) return []
  if (!found.isDirectory()) return [toRead(git)]
  const inner = ['config', 'config.worktree', 'commondir', 'modules', 'worktrees'].map((name) => join(git, name))
  const hooks = join(git, 'hooks')
  if ([hooks, ...inner].some(isLink)) return [toRead(git)]
  return [
    { kind: 'write', path: git },
    existsSync(hooks) ? toRead(hooks) : { kind: 'empty', path: hooks, bytes: 0 },
    ...inner.filter((path) => existsSync(path)).map(toRead),
  ]
}

/** Language and time zone of this process, and nothing else of its environment. */
function commonEnv(): Record<string, string> {
  const kept = ['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(kept), HOME: '/tmp', TMPDIR: '/tmp', TERM: 'dumb', NO_COLOR: '1' }
}

/** What must not come to be in a workspace, and is not there: svc's configs, its folders, and files that lead git elsewhere. */
export function absentNames(workspace: string, hidden: readonly string[]): string[] {
  const own = join(workspace, '.svc')
  const isCovered = isCoveredOwn(workspace, hidden)
  return [
    ...[...CONFIG_NAMES, '.svc'].map((name) => join(workspace, name)),
    ...(isFolder(join(workspace, '.git')) ? ['commondir', 'config.worktree'] : []).map((name) =>
      join(workspace, '.git', name),
    ),
    ...hidden.filter((folder) => isInside(workspace, folder)),
  ].filter((path) => stateOf(path) === 'nothing' && !(isCovered && isInside(own, path)))
}

/** Whether something is at a path itself; what a link leads to may be anything of this machine, and is not mounted. */
const isOwnPlace = (path: string): boolean => stateOf(path) === 'a file' || isFolder(path)

const isLink = (path: string): boolean => stateOf(path).startsWith('->')

const isFolder = (path: string): boolean => stateOf(path) === 'a folder'
