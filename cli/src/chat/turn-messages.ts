import { type RunEvent, type Runtime, SvcError } from '@svc/core'

/** Something that a person said to a run. */
interface Said {
  text: string
  /** Absent until the run has it. */
  id?: string
  /** True: the run takes nothing more, so that it is a part of the next turn. */
  isRefused?: boolean
}

/** Who hears what came of a message. */
export interface TurnMessagesOptions {
  /** The run has it. */
  sent(): void
  /** The run takes it no more. @param problem why, where that is not because it has ended or has no agents */
  refused(problem: unknown): void
}

/** What a person says to the run of one turn, in order, until an agent reads it. */
export class TurnMessages {
  readonly #runtime: Pick<Runtime, 'runs'>
  readonly #runId: string
  readonly #on: TurnMessagesOptions
  readonly #unread: Said[] = []
  readonly #read = new Set<string>()
  #sending: Promise<void> = Promise.resolve()

  constructor(runtime: Pick<Runtime, 'runs'>, runId: string, on: TurnMessagesOptions) {
    this.#runtime = runtime
    this.#runId = runId
    this.#on = on
  }

  /** What no agent is known to have read. */
  get unread(): readonly Said[] {
    return this.#unread
  }

  send(text: string): void {
    const said: Said = { text }
    this.#unread.push(said)
    this.#sending = this.#sending.then(() => this.#deliver(said))
  }

  apply(event: RunEvent): void {
    if (event.type !== 'agent.steered') return
    for (const { id } of event.data.messages) this.#read.add(id)
    this.#forgetRead()
  }

  /** What no agent has read, now that the run has ended. */
  async rest(): Promise<string[]> {
    await this.#sending
    if (this.#unread.length === 0) return []
    const { unread = [] } = await this.#runtime.runs.get(this.#runId)
    const left = new Set(unread.map(({ id }) => id))
    return this.#unread.filter(({ id }) => id === undefined || left.has(id)).map(({ text }) => text)
  }

  async #deliver(said: Said): Promise<void> {
    try {
      said.id = (await this.#runtime.runs.steer(this.#runId, { text: said.text })).id
      this.#on.sent()
      // The event may be here before the answer.
      this.#forgetRead()
    } catch (thrown) {
      said.isRefused = true
      const isLate = SvcError.isInstance(thrown) && thrown.code === 'invalid_transition'
      this.#on.refused(isLate ? undefined : thrown)
    }
  }

  #forgetRead(): void {
    const left = this.#unread.filter(({ id }) => id === undefined || !this.#read.has(id))
    this.#unread.splice(0, this.#unread.length, ...left)
  }
}
