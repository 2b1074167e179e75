import type { RunEvent } from '../../../contracts/log/event.ts'
import type { HearRequest } from '../../../contracts/run/run-context.ts'
import type { RunMessage } from '../../../contracts/run/run-message.ts'
import type { Command } from '../../../contracts/store/command.ts'
import type { RunRecorder } from './run-recorder.ts'

const NOTHING: readonly RunMessage[] = []

/** What people say to a run at work, each once, in the order in which it came. */
export class RunMessages {
  readonly #recorder: RunRecorder
  readonly #isReplay: boolean
  /** Made with the first: most runs have none. */
  #said: Map<string, RunMessage> | undefined
  /** Ids of those that no agent has read, and that the store still has as requests. */
  readonly #unread = new Set<string>()

  /**
   * @param isReplay whether a recorded run is gone over: its calls are no steps of this one, and only what is recorded of an
   *   agent says what it has read before which
   * @param events of earlier lives
   */
  constructor(recorder: RunRecorder, isReplay: boolean, events: readonly RunEvent[] = []) {
    this.#recorder = recorder
    this.#isReplay = isReplay
    for (const event of events) if (event.type === 'agent.steered') this.#keep(event.data.messages)
  }

  /** Takes in what was said, which stays a request in the store until an agent has read it. */
  note({ kind: _, ...message }: Command & { kind: 'message' }): void {
    if (this.#said?.has(message.id) === true) return
    this.#keep([message])
    this.#unread.add(message.id)
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
    if (!isRecorded && this.#said === undefined) return NOTHING
    const known = new Set(heard.map(({ id }) => id))
    const more = [...(this.#said?.values() ?? [])].filter(({ id }) => !known.has(id))
    const isFixed = journal.stateOf(call) === 'done' || journal.isAhead(call)
    if (!isRecorded && (isFixed || more.length === 0)) return NOTHING
    const messages = await journal.step(key, 'pure', async () => more)
    if (!this.#isReplay) this.#keep(messages)
    this.#recorder.emit('agent.steered', { messages }, stepId === undefined ? { agentId } : { agentId, stepId })
    // It leaves with the event that says so.
    const taken = messages.flatMap(({ id }) => (this.#unread.delete(id) ? id : []))
    if (taken.length > 0) this.#recorder.add({ taken })
    return messages
  }

  /** Says of what no agent will read that it came too late. */
  warnOfUnread(): void {
    if (this.#unread.size === 0) return
    const [one] = this.#unread
    const what = this.#unread.size === 1 ? `the message ${one}` : `${this.#unread.size} messages`
    this.#recorder.warn({ code: 'message_unread', message: `${what} came too late: no agent has read what it says` })
  }

  #keep(messages: readonly RunMessage[]): void {
    this.#said ??= new Map()
    for (const message of messages) if (!this.#said.has(message.id)) this.#said.set(message.id, message)
  }
}
