/**
 * Bounds that only a control group is: on the processes of root, which the limit of a user (`RLIMIT_NPROC`) does not count, and
 * on all memory, also of files in memory that no process has mapped.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readIfThere } from './workspace/on-disk.ts'
import { quoted } from './wrap.ts'

export interface ControlGroup {
  /** Whether its memory is bounded; processes always are. */
  readonly holdsMemory: boolean
  /** Argv that runs a program in the group. */
  enter(argv: readonly string[]): [program: string, ...args: string[]]
  /** Whether the system ended a process of the group because its memory was used up. */
  ranOut(): boolean
  /** Ends what is left in the group, and removes it. */
  remove(): Promise<void>
}

/** Twice as long each time, so 1 s together. */
const REMOVE_AGAIN_MS = 1
const REMOVE_TRIES = 10

/** One tree of groups, and the files in a group that hold its bounds; a file that may be missing ends in `?`. */
interface Tree {
  readonly parent: string
  readonly bounds: Readonly<Record<string, number>>
}

/**
 * Makes a control group whose processes and threads together are at most so many, and have at most so much memory where the
 * system can bound it.
 *
 * @returns undefined where this process is not root's, or the system has no groups that it may make
 */
export function createControlGroup(mostTasks: number, memoryBytes: number): ControlGroup | undefined {
  if (process.getuid?.() !== 0) return undefined
  const name = `svc-${process.pid}-${randomBytes(6).toString('hex')}`
  const made = trees(mostTasks, memoryBytes).flatMap((tree) => make(tree, name) ?? [])
  const has = (file: string): boolean => made.some((folder) => existsSync(join(folder, file)))
  if (has('pids.max')) return toGroup(made, has('memory.max') || has('memory.limit_in_bytes'))
  for (const folder of made) rmdirSync(folder)
  return undefined
}

/** Where groups below this process's own are made: a tree for each controller (cgroup v1), or one for all (v2). */
function trees(tasks: number, memory: number): Tree[] {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')
  return lines.flatMap((line): Tree[] => {
    const [, controllers, path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (controllers === 'pids') return [{ parent: join('/sys/fs/cgroup/pids', path), bounds: { 'pids.max': tasks } }]
    if (controllers === 'memory') {
      const bounds = { 'memory.limit_in_bytes': memory, 'memory.memsw.limit_in_bytes?': memory }
      return [{ parent: join('/sys/fs/cgroup/memory', path), bounds }]
    }
    const bounds = { 'pids.max': tasks, 'memory.max?': memory, 'memory.swap.max?': 0 }
    return controllers === '' ? [{ parent: join('/sys/fs/cgroup', path), bounds }] : []
  })
}

/** @returns the group's folder; undefined where there is none, it is read only as in most containers, or has no such bounds */
function make({ parent, bounds }: Tree, name: string): string | undefined {
  const folder = join(parent, name)
  try {
    mkdirSync(folder)
  } catch {
    return undefined
  }
  try {
    for (const [file, bound] of Object.entries(bounds)) {
      const path = join(folder, file.replace('?', ''))
      if (!file.endsWith('?') || existsSync(path)) writeFileSync(path, String(bound), { flag: 'r+' })
    }
    return folder
  } catch {
    rmdirSync(folder) // a group without this controller
    return undefined
  }
}

function toGroup(folders: readonly string[], holdsMemory: boolean): ControlGroup {
  // `tasks` of cgroup v1 moves the thread that writes at once; `cgroup.procs` waits until nobody in the system could be forking
  const lists = folders.map((folder) => join(folder, existsSync(join(folder, 'tasks')) ? 'tasks' : 'cgroup.procs'))
  const enterAll = lists.map((list) => `echo 0 > ${quoted(list)}`).join(' && ')
  return {
    holdsMemory,
    // the shell enters before there is anything that could make a process outside
    enter: (argv) => ['/bin/sh', '-c', `${enterAll} && exec "$@"`, 'sh', ...argv],
    ranOut: () =>
      folders.some((folder) =>
        ['memory.oom_control', 'memory.events'].some((file) =>
          /^oom_kill [1-9]/m.test(readIfThere(join(folder, file))),
        ),
      ),
    async remove() {
      const left = new Set(folders)
      for (let tries = 0; tries < REMOVE_TRIES && left.size > 0; tries++) {
        for (const folder of left) {
          try {
            rmdirSync(folder)
            left.delete(folder)
          } catch {
            for (const pid of pidsIn(join(folder, 'cgroup.procs'))) end(pid)
          }
        }
        if (left.size > 0) await delay(REMOVE_AGAIN_MS * 2 ** tries)
      }
    },
  }
}

const pidsIn = (list: string): number[] => readIfThere(list).split('\n').filter(Boolean).map(Number)

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended
  }
}
