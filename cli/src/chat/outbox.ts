import { type RunEvent, type Runtime, SvcError } from '@svc/core'
import { readCall } from '../input/slash-commands.ts'

/** Something that a person says to a run. */
interface Sent {
  text: string
  /** Absent until the run has it. */
  id?: string
  /** True: the run takes nothing more. */
  isRefused?: boolean
}

/** What a person types while a turn works: sent to its run, until an agent reads it, or waiting for its end. */
export class Outbox {
  readonly #runtime: Pick<Runtime, 'runs'>
  readonly #say: (words: string, problem?: unknown) => void
  /** The next turns, in order. */
  readonly #queue: string[] = []
  /** In order, without what an agent is known to have read. */
  #sent: Sent[] = []
  readonly #read = new Set<string>()
  #runId: string | undefined
  #sending: Promise<void> = Promise.resolve()

  /** @param say is handed what came of a text, and why a run refused it where it has not just ended */
  constructor(runtime: Pick<Runtime, 'runs'>, say: (words: string, problem?: unknown) => void) {
    this.#runtime = runtime
    this.#say = say
  }

  /** A turn begins. @param runId undefined: all waits for its end */
  begin(runId: string | undefined): void {
    this.#runId = runId
  }

  /** Whether what is put in goes to the turn at work. */
  get isSending(): boolean {
    return this.#runId !== undefined
  }

  get hasQueued(): boolean {
    return this.#queue.length > 0
  }

  /** Each text with where it stands. */
  get lines(): string[] {
    return [
      ...this.#sent.map(
        ({ text, isRefused }) => `${isRefused ? 'queued' : 'sent, read before the next step'}: ${text}`,
      ),
      ...this.#queue.map((text) => `queued: ${text}`),
    ]
  }

  /** @param waits whether it is a turn of its own, as a command always is */
  put(text: string, waits: boolean): void {
    const runId = this.#runId
    if (runId === undefined || waits || readCall(text) !== undefined) {
      this.#queue.push(text)
      this.#say('queued as the next turn')
      return
    }
    const sent: Sent = { text }
    this.#sent.push(sent)
    this.#sending = this.#sending.then(() => this.#deliver(runId, sent))
  }

  /** The next turn, where one waits. */
  next(): string | undefined {
    return this.#queue.shift()
  }

  /** Takes back what was queued last. */
  takeBack(): string | undefined {
    return this.#queue.pop()
  }

  /** The turn is to stop. @returns what waited: it was said in the belief that the turn goes on */
  stop(): string[] {
    this.#runId = undefined
    return this.#queue.splice(0)
  }

  /** Takes in an event of the run. */
  apply(event: RunEvent): void {
    if (event.type !== 'agent.steered') return
    for (const { id } of event.data.messages) this.#read.add(id)
    this.#forgetRead()
  }

  /**
   * The run has ended. What none of its agents has read is the next turn.
   *
   * @param isStopped whether a person stopped it: then they say whether they still want that
   * @returns what they are asked about
   */
  async end(runId: string, isStopped: boolean): Promise<string[]> {
    this.#runId = undefined
    await this.#sending
    const sent = this.#sent.splice(0)
    if (sent.length === 0) return []
    const run = await this.#runtime.runs.get(runId).catch(() => undefined)
    const left = new Set(run?.unread?.map(({ id }) => id))
    const texts = sent.filter(({ id }) => run === undefined || id === undefined || left.has(id)).map(({ text }) => text)
    if (isStopped || run === undefined) return texts
    if (texts.length > 0) this.#queue.unshift(texts.join('\n\n'))
    return []
  }

  async #deliver(runId: string, sent: Sent): Promise<void> {
    try {
      sent.id = (await this.#runtime.runs.steer(runId, { text: sent.text })).id
      this.#say('sent: it is read before the next step')
      // The event may be here before the answer.
      this.#forgetRead()
    } catch (thrown) {
      sent.isRefused = true
      const isLate = SvcError.isInstance(thrown) && thrown.code === 'invalid_transition'
      this.#say('the run takes no more messages', isLate ? undefined : thrown)
    }
  }

  #forgetRead(): void {
    this.#sent = this.#sent.filter(({ id }) => id === undefined || !this.#read.has(id))
  }
}
