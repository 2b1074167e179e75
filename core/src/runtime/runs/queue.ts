import { CapacityError } from '../../errors.ts'

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
  #coming = 0

  constructor(running: number, queued: number) {
    this.#running = running
    this.#queued = queued
  }

  /**
   * Keeps a place for a job that is being made, until it is left.
   *
   * @returns how many are ahead of it
   * @throws CapacityError `queue_full`
   */
  enter(): { position: number; leave(): void } {
    const waiting = Math.max(0, this.#coming - Math.max(0, this.#running - this.#active))
    if (this.#jobs.length + waiting >= this.#queued) {
      throw new CapacityError('queue_full', `${this.#queued} runs are waiting already: try again later`)
    }
    const position = this.#active + this.#coming < this.#running ? 0 : this.#jobs.length + waiting + 1
    this.#coming++
    return { position, leave: () => void this.#coming-- }
  }

  /** @returns starts the job past all others, should it still wait: for one that has nothing left to do but end */
  add(job: Job): () => void {
    this.#jobs.push(job)
    this.#next()
    return () => {
      if (!this.#jobs.includes(job)) return
      this.#jobs = this.#jobs.filter((other) => other !== job)
      void job.start()
    }
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
