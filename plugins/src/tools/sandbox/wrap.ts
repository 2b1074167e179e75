/** The command lines that start a program in a sandbox. */
import { existsSync, statSync } from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path'
import { ToolError } from '@svc/core'
import { isInside } from '../files/workspace.ts'
import { FILES_FD, INPUT_FD, STATUS_FD } from '../programs/run-program.ts'
import { createFilter, type FilterOptions, hasFilters } from './system-calls.ts'
import type { Mount, View } from './view.ts'
import { bytesOf, toPath } from './workspace/on-disk.ts'

/** What makes a sandbox of the machine's own programs. */
export type HostKind = 'bwrap' | 'unshare'

export interface Limits {
  readonly memoryBytes: number
  readonly processes: number
  /** Of one process, over all its threads. */
  readonly cpuSeconds: number
  /** Of one file. */
  readonly fileBytes: number
}

/** Nobody's on most systems: who a program of root's is to itself, though files that it makes are root's. */
const NOBODY = 65_534
/** Of what programs share in `/dev/shm`. */
export const SHARED_BYTES = 67_108_864

/** Never the folders of `PATH`: what makes the sandbox is not to be somebody else's program. */
export const FOLDERS = [
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
  '/usr/local/bin',
  '/run/current-system/sw/bin',
  '/opt/homebrew/bin',
]

/** Threads that a process of 64 has on average; the system counts threads. */
export const THREADS_EACH = 16

/** Written to `STATUS_FD` when everything is in place. */
const STARTED = 'started'

const REFUSAL = /^prlimit: [^\n]*\n?$/

/** Where one of the sandbox's own programs is. */
export function pathOf(program: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, program)).find((path) => existsSync(path))
}

/** How a sandbox is started before it is known what a program sees. */
export interface Launch {
  /** Argv that waits for what `setUp` gives, then runs the program. */
  readonly argv: [program: string, ...args: string[]]
  /** Whether it has a filter of system calls. */
  readonly hasFilter: boolean
  /** Files that it reads from the descriptors from `FILES_FD` on. */
  readonly files: readonly string[]
  /** Environment of what makes the sandbox. */
  readonly env: View['env']
  /** What it is to read from the descriptors from `INPUT_FD` on. */
  setUp(mounts: readonly Mount[], bounds: FilterOptions): Buffer[]
  /**
   * Whether the program ran, by what was written to `STATUS_FD`. What ends without could not make the sandbox, and its own exit
   * code is no result of the program.
   */
  hasRun(status: string): boolean
  /** What is printed where the sandbox was made, and the program could not be started in it. */
  readonly refusal: RegExp
  /** Whether the system ended it because its memory was used up. */
  ranOut?(status: string): boolean
  /** Ends what of the program may be left. */
  end?(): Promise<void>
}

/**
 * The start of a program under limits, and later under mounts, of which those of the view are the first.
 *
 * @param before begins the argv inside of the sandbox
 */
export function wrap(
  kind: HostKind,
  argv: readonly string[],
  limits: Limits,
  view: View,
  before: readonly string[] = [],
): Launch {
  const limited = [...before, ...toLimits(limits), ...argv]
  if (kind === 'unshare') {
    const setUp = (mounts: readonly Mount[]) => [bytesOf(toScript({ ...view, mounts }))]
    const hasRun = (status: string): boolean => status.includes(STARTED)
    return {
      argv: toUnshare(limited, view.network),
      env: view.env,
      hasFilter: false,
      files: [],
      setUp,
      hasRun,
      refusal: REFUSAL,
    }
  }
  const hasFilter = hasFilters()
  const files = view.mounts.filter(({ kind }) => kind === 'copy').map(({ path }) => path)
  const filter = hasFilter ? ['--seccomp', String(INPUT_FD + 1)] : []
  return {
    argv: [pathOf(kind) ?? kind, '--args', String(INPUT_FD), ...filter, '--', ...limited],
    env: view.env,
    hasFilter,
    files,
    setUp: (mounts, bounds) => [
      bytesOf(`${toBubblewrap({ ...view, mounts }, files).join('\0')}\0`),
      createFilter(bounds),
    ],
    hasRun: (status) => status.includes('"exit-code"'),
    refusal: REFUSAL,
  }
}

function toLimits({ memoryBytes, processes, cpuSeconds, fileBytes }: Limits): string[] {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  // before 5.14 a limit on processes counts all of the person's, also outside of the sandbox
  const counts = major > 5 || (major === 5 && minor >= 14)
  return [
    pathOf('prlimit') ?? 'prlimit',
    `--data=${memoryBytes}`,
    `--cpu=${cpuSeconds}`,
    `--fsize=${fileBytes}`,
    '--core=0',
    ...(counts ? [`--nproc=${processes * THREADS_EACH}`] : []),
    '--',
  ]
}

function toBubblewrap({ mounts, folder, network }: View, files: readonly string[]): string[] {
  return [
    '--unshare-all',
    ...['--unshare-user', '--uid', String(person()), '--gid', String(group())],
    ...['--json-status-fd', String(STATUS_FD)],
    ...(network ? ['--share-net'] : []),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    // what a program of root's may not do in them is up to the mount alone
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...['--dev', '/dev', '--size', String(SHARED_BYTES), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...mounts.flatMap((mount) => {
      if (mount.kind === 'link') return ['--symlink', mount.to, mount.path]
      if (mount.kind === 'copy') return ['--file', String(FILES_FD + files.indexOf(mount.path)), mount.path]
      if (mount.kind === 'empty') {
        const made = ['--tmpfs', mount.path]
        return mount.bytes === 0 ? [...made, '--remount-ro', mount.path] : ['--size', String(mount.bytes), ...made]
      }
      if (mount.kind === 'blank') return ['--ro-bind', '/dev/null', mount.path]
      return [mount.kind === 'read' ? '--ro-bind' : '--bind', mount.path, mount.path]
    }),
    // what is moved out of the workspace would be gone with the call
    ...['--remount-ro', '/', '--chdir', folder],
  ]
}

const person = (): number => process.getuid?.() || NOBODY
const group = (): number => process.getgid?.() || NOBODY

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty']

/** A new network has an interface of its own, which is down. */
const LOOPBACK_UP = [
  'ip link set lo up',
  'ifconfig lo up',
  `perl -e 'socket($s, 2, 2, 0) && ioctl($s, 0x8914, pack("a16 s x22", "lo", 0x41)) or exit 1'`,
]
  .map((command) => `${command} 2>/dev/null`)
  .concat('true')
  .join(' || ')

/** The same by hand: a new root in memory, the mounts in it, the old root gone, then no capability left. */
function toUnshare(argv: readonly string[], network: boolean): [string, ...string[]] {
  const read = `set_up=$(${pathOf('cat')} <&${INPUT_FD}); exec ${INPUT_FD}<&-; eval "$set_up"`
  return [
    pathOf('unshare') ?? 'unshare',
    ...['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child', '--ipc', '--uts'],
    ...(network ? [] : ['--net']),
    ...['/bin/sh', '-c', read, 'sh', ...argv],
  ]
}

function toScript({ mounts, folder, network, env }: View): string {
  const root = ['/mnt', '/media', '/srv', '/opt', '/run'].find(
    (path) => existsSync(path) && mounts.every((mount) => mount.kind === 'link' || !isInside(path, mount.path)),
  )
  if (root === undefined)
    throw new ToolError('sandbox_unavailable', 'unshare finds no free folder to build a sandbox in')
  return [
    `set -eu; PATH=${FOLDERS.join(':')}`,
    ...(network ? [] : [LOOPBACK_UP]),
    'mount --make-rprivate /',
    `mount -t tmpfs -o mode=755,size=1m tmpfs ${root}`,
    ...mounts.flatMap((mount) => toShell(mount, root)),
    `mkdir -p ${root}/proc ${root}/dev/shm ${root}/old`,
    `mount -t proc proc ${root}/proc`,
    // one more for the program, which then can make none in which it may mount
    `echo 1 > ${root}/proc/sys/user/max_user_namespaces`,
    ...DEVICES.map((name) => `touch ${root}/dev/${name}; mount --bind /dev/${name} ${root}/dev/${name}`),
    `ln -s /proc/self/fd ${root}/dev/fd; mount -t tmpfs -o size=${SHARED_BYTES},nosuid,nodev tmpfs ${root}/dev/shm`,
    `cd ${root}; pivot_root . old; umount -l /old; rmdir /old; mount -o remount,bind,ro /`,
    'cd /dev/shm; mkfifo own go; exec 5<>own 6<>go; rm own go',
    `cd ${quoted(folder)}`,
    // the program's own namespace is written to /proc, which the program then must not write to
    `${pathOf('unshare')} --user --map-user=${person()} --map-group=${group()} -- /bin/sh -c ${quoted(entered(env.PATH ?? ''))} sh "$@" 3>&- &`,
    'read -r own <&5; exec 5>&-',
    'mount -o remount,bind,ro,nosuid,nodev,noexec /proc',
    `echo ${STARTED} >&${STATUS_FD}; exec ${STATUS_FD}>&-`,
    'echo go >&6; exec 6>&-',
    'code=0; wait $! || code=$?; exit $code',
  ].join('\n')
}

/** What the program's process does between its namespace and the program. */
const entered = (path: string): string =>
  [
    'echo own >&5; read -r go <&6; exec 5>&- 6>&-',
    `PATH=${quoted(path)}`,
    `exec ${pathOf('setpriv')} --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"`,
  ].join('\n')

function toShell(mount: Mount, root: string): string[] {
  const at = quoted(root + mount.path)
  if (mount.kind === 'link') return [`ln -s ${quoted(mount.to)} ${at}`]
  if (mount.kind === 'empty') {
    return [`mkdir -p ${at}; mount -t tmpfs -o ${mount.bytes === 0 ? 'ro' : `size=${mount.bytes}`} tmpfs ${at}`]
  }
  if (mount.kind === 'blank') return [`mount --bind /dev/null ${at}`]
  const isFolder = statSync(toPath(mount.path), { throwIfNoEntry: false })?.isDirectory() === true
  const make = isFolder ? `mkdir -p ${at}` : `mkdir -p "$(dirname ${at})"; test -e ${at} || touch ${at}`
  const bind = `${make}; mount --rbind ${quoted(mount.path)} ${at}`
  const access = mount.kind === 'write' ? 'rw' : 'ro'
  // what the mount forbids already has to be said again
  const close = ['nosuid,nodev', 'nosuid,nodev,noexec'].map(
    (flags) => `mount -o remount,bind,${access},${flags} ${at} 2>/dev/null`,
  )
  return [`${bind}; ${close.join(' || ')}`]
}

/** A text as one word of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
