import { CapacityError } from '../errors.ts'

interface Job {
  threadId: string | undefined
  start(): Promise<void>
}

/** Starts runs in order: at most `running` at once, those of one thread one after the other. */
export class RunQueue {
  readonly #running: number
  readonly #queued: number
  readonly #busyThreads = new Set<string>()
  #jobs: Job[] = []
  #active = 0

  constructor(running: number, queued: number) {
    this.#running = running
    this.#queued = queued
  }

  /**
   * How many are ahead of a job that comes now.
   *
   * @throws CapacityError `queue_full`
   */
  position(): number {
    if (this.#jobs.length >= this.#queued) {
      throw new CapacityError('queue_full', `${this.#queued} runs are waiting already: try again later`)
    }
    return this.#active < this.#running ? 0 : this.#jobs.length + 1
  }

  add(job: Job): void {
    this.#jobs.push(job)
    this.#next()
  }

  #next(): void {
    while (this.#active < this.#running) {
      const index = this.#jobs.findIndex(({ threadId }) => threadId === undefined || !this.#busyThreads.has(threadId))
      const job = this.#jobs[index]
      if (job === undefined) return
      this.#jobs = this.#jobs.filter((other) => other !== job)
      this.#active++
      if (job.threadId !== undefined) this.#busyThreads.add(job.threadId)
      void job.start().finally(() => {
        this.#active--
        if (job.threadId !== undefined) this.#busyThreads.delete(job.threadId)
        this.#next()
      })
    }
  }
}
