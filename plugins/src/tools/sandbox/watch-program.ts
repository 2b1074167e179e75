import { readdirSync } from 'node:fs'
import { readIfThere } from './workspace/on-disk.ts'

const EVERY_MS = 50
const MOST_SEEN = 4_096

/**
 * Looks, again and again, at how much memory a program and its descendants hold together and how many they are, because the
 * system's own limits are for each process, and do not count those of root.
 *
 * @param ranOut whether the system itself ended one of them for its memory
 * @param exceed called once with what was too much
 * @returns how to stop
 */
export function watchProgram(
  pid: number,
  limits: { memoryBytes: number; processes: number },
  exceed: (why: string) => void,
  ranOut: () => boolean = () => false,
): () => void {
  const timer = setInterval(() => {
    const pids = descendants(pid)
    if (pids.length > limits.processes) return over(`started more than ${limits.processes} processes`)
    const kibibytes = pids.reduce((sum, each) => sum + memoryOf(each), 0)
    if (kibibytes * 1024 > limits.memoryBytes || ranOut()) over(tooMuchMemory(limits))
  }, EVERY_MS)
  const over = (why: string): void => {
    clearInterval(timer)
    exceed(why)
  }
  return () => clearInterval(timer)
}

export const tooMuchMemory = ({ memoryBytes }: { memoryBytes: number }): string =>
  `used more than ${memoryBytes / 2 ** 20} MB of memory, which policy.memoryMb sets`

function descendants(pid: number): number[] {
  const found: number[] = []
  const open = [pid]
  for (let next = open.pop(); next !== undefined && found.length < MOST_SEEN; next = open.pop()) {
    const children = threadsOf(next).flatMap((thread) =>
      readIfThere(`/proc/${next}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
    )
    found.push(...children)
    open.push(...children)
  }
  return found
}

/** Each thread has children of its own. */
function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Memory of a process alone, in KiB; with what it shares with other processes in memory. */
function memoryOf(pid: number): number {
  const status = readIfThere(`/proc/${pid}/status`)
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
  return field('RssAnon') + field('RssShmem')
}
