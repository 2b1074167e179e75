import type { HearRequest } from '../../../contracts/run/run-context.ts'
import type { RunMessage } from '../../../contracts/run/run-message.ts'
import type { Command } from '../../../contracts/store/command.ts'
import type { RunRecorder } from './run-recorder.ts'

const NOTHING: readonly RunMessage[] = []

/** What people say to a run at work, each once, in the order in which it came: what is read stands in the run's log. */
export class RunMessages {
  readonly #recorder: RunRecorder
  readonly #isReplay: boolean
  /** What no agent has read, and the store still has as requests, by id. */
  readonly #unread = new Map<string, RunMessage>()

  /**
   * @param isReplay whether a recorded run is gone over: its calls are no steps of this one, and only what is recorded of an
   *   agent says what it has read before which
   */
  constructor(recorder: RunRecorder, isReplay: boolean) {
    this.#recorder = recorder
    this.#isReplay = isReplay
  }

  /** Takes in what was said, which stays a request in the store until an agent has read it. */
  note({ kind: _, ...message }: Command & { kind: 'message' }): void {
    if (!this.#recorder.whole.messages.some(({ id }) => id === message.id)) this.#unread.set(message.id, message)
  }

  /**
   * What an agent has not read, for its conversation.
   *
   * Which messages it was is recorded, and only a call that is not recorded yet, as begun neither, can have more before it:
   * so a recovery, a replay and a fork have each at the place that it had.
   */
  async hear({ key, call, heard, agentId, stepId }: HearRequest): Promise<readonly RunMessage[]> {
    const { journal } = this.#recorder
    const isRecorded = journal.stateOf(key) === 'done'
    const said = this.#said()
    if (!isRecorded && said.length === 0) return NOTHING
    const known = new Set(heard.map(({ id }) => id))
    const more = said.filter(({ id }) => !known.has(id))
    const isFixed = journal.stateOf(call) === 'done' || journal.isAhead(call)
    if (!isRecorded && (isFixed || more.length === 0)) return NOTHING
    const messages = await journal.step(key, 'pure', async () => more)
    this.#recorder.emit('agent.steered', { messages }, stepId === undefined ? { agentId } : { agentId, stepId })
    // It leaves with the event that says so.
    const taken = messages.flatMap(({ id }) => (this.#unread.delete(id) ? id : []))
    if (taken.length > 0) this.#recorder.add({ taken })
    return messages
  }

  /** Says of what no agent will read that it came too late. */
  warnOfUnread(): void {
    if (this.#unread.size === 0) return
    const [one] = this.#unread.keys()
    const what = this.#unread.size === 1 ? `the message ${one}` : `${this.#unread.size} messages`
    this.#recorder.warn({ code: 'message_unread', message: `${what} came too late: no agent has read what it says` })
  }

  #said(): readonly RunMessage[] {
    const { messages } = this.#recorder.whole
    if (this.#isReplay) return NOTHING
    return this.#unread.size === 0 ? messages : [...messages, ...this.#unread.values()]
  }
}
