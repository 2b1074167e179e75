import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { textOf } from '../keys.ts'
import { bytesOf, type Sqlite } from './file/sqlite.ts'
import type { WriteQueue } from './write-queue.ts'

/** How often it is looked whether the others are still there. */
const LOOK_MS = 100

/** A process as others can find out whether it is still there. */
interface ProcessMark {
  /** Host and process namespace: what happens elsewhere cannot be seen from here. */
  place: string
  /** The host's start. */
  boot: string
  pid: number
  /** The process's start, since numbers of processes are used again. */
  started: string
}

/** The processes that hold runs of one file. */
export class Processes {
  readonly #db: Sqlite
  readonly #own: ProcessMark
  #registered: Promise<number> | undefined
  #number: number | undefined
  #dead: number[] = []
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(db: Sqlite) {
    this.#db = db
    this.#own = markOf(process.pid)
  }

  /** Makes this process, or rather this handle, known to the others; answers its number. */
  register(queue: WriteQueue): Promise<number> {
    const { place, boot, pid, started } = this.#own
    this.#registered ??= queue
      .add(
        () =>
          this.#db.insert('INSERT INTO run_processes (place, boot, pid, started) VALUES (?, ?, ?, ?)', [
            place,
            boot,
            pid,
            started,
          ]),
        (number) => {
          this.#number = number
        },
      )
      .catch((thrown) => {
        this.#registered = undefined
        throw thrown
      })
    return this.#registered
  }

  /** Numbers of processes that are gone for certain; of those elsewhere nothing is known. */
  get dead(): readonly number[] {
    if (performance.now() - this.#lookedAt < LOOK_MS) return this.#dead
    this.#lookedAt = performance.now()
    this.#dead = this.#db
      .all(`SELECT seq, ${bytesOf('boot')}, pid, ${bytesOf('started')} FROM run_processes WHERE place = ?`, [
        this.#own.place,
      ])
      .filter(
        ({ seq, boot, pid, started }) =>
          seq !== this.#number && !this.#isAlive(Number(pid), textOf(boot), textOf(started)),
      )
      .map(({ seq }) => Number(seq))
    return this.#dead
  }

  /** The number of this process, where it is known. */
  get number(): number | undefined {
    return this.#number
  }

  /** Removes those that hold nothing; inside a transaction. */
  clean(numbers: readonly number[]): void {
    for (const number of numbers) {
      this.#db.run(
        `DELETE FROM run_processes WHERE seq = ? AND NOT EXISTS (
           SELECT 1 FROM runs WHERE ended_at IS NULL AND process = run_processes.seq AND owner IS NOT NULL)`,
        [number],
      )
    }
  }

  #isAlive(pid: number, boot: string, started: string): boolean {
    if (boot !== this.#own.boot) return false
    if (pid === process.pid) return started === this.#own.started
    try {
      process.kill(pid, 0)
    } catch (thrown) {
      return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM'
    }
    return startOf(pid) === started
  }
}

/** The host's start, by an id; empty where the system does not say. */
export const readBoot = (): string => read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())

function markOf(pid: number): ProcessMark {
  const boot = readBoot()
  const namespace = read(() => readlinkSync('/proc/self/ns/pid'))
  return { place: `${hostname()} ${namespace}`, boot, pid, started: startOf(pid) }
}

/** When a process was started, in ticks since the host's start; empty where the system does not say, or it is over. */
function startOf(pid: number): string {
  // The name, in brackets, may hold anything; the state is the first field after it, the start the twentieth.
  const fields = read(() => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '')).split(' ')
  return fields[0] === 'Z' || fields[0] === 'X' ? 'over' : (fields[19] ?? '')
}

function read(work: () => string): string {
  try {
    return work()
  } catch {
    return ''
  }
}
