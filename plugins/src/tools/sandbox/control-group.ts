/** A bound on processes for those of root, which the limit of a user (`RLIMIT_NPROC`) does not count. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

export interface ControlGroup {
  /** Argv that runs a program in the group. */
  enter(argv: readonly string[]): [program: string, ...args: string[]]
  /** Ends what is left in the group, and removes it. */
  remove(): Promise<void>
}

const REMOVE_TRIES = 20
const REMOVE_EVERY_MS = 25

/**
 * Makes a control group whose processes and threads together are at most so many.
 *
 * @returns undefined where this process is not root's, or the system has no groups that it may make
 */
export function createControlGroup(mostTasks: number): ControlGroup | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const parent of parents()) {
    const folder = join(parent, `svc-${process.pid}-${randomBytes(6).toString('hex')}`)
    try {
      mkdirSync(folder)
    } catch {
      continue // read only, as in most containers, or not there
    }
    try {
      writeFileSync(join(folder, 'pids.max'), String(mostTasks))
      return toGroup(folder)
    } catch {
      rmdirSync(folder) // a group without this controller
    }
  }
  return undefined
}

/** Where groups below this process's own are made: the tree of the controller (cgroup v1), or the only one (v2). */
function parents(): string[] {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')
  return lines.flatMap((line) => {
    const [, controllers, path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (controllers === 'pids') return [join('/sys/fs/cgroup/pids', path)]
    return controllers === '' ? [join('/sys/fs/cgroup', path)] : []
  })
}

function toGroup(folder: string): ControlGroup {
  const list = join(folder, 'cgroup.procs')
  return {
    // the shell enters before there is anything that could make a process outside
    enter: (argv) => ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', list, ...argv],
    async remove() {
      for (let tries = 0; tries < REMOVE_TRIES; tries++) {
        try {
          return rmdirSync(folder)
        } catch {
          for (const pid of pidsIn(list)) end(pid)
          await delay(REMOVE_EVERY_MS)
        }
      }
    },
  }
}

function pidsIn(list: string): number[] {
  try {
    return readFileSync(list, 'utf8').split('\n').filter(Boolean).map(Number)
  } catch {
    return [] // the group is gone
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended
  }
}
