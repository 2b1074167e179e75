import { toText } from '../model/message-text.ts'
import { answerEventOf } from './answer-events.ts'
import type { RunEvent } from './event.ts'

/** How the answer changed. */
export interface AnswerChange {
  /** What was added; with `isWhole` what stands in place of all that was there. */
  text: string
  isWhole: boolean
}

/**
 * The answer of a run as far as it is known, from the events of the run in order, whichever pieces of it are missing: of
 * a team what the last step of the plan says, after the last event the answer itself.
 */
export class AnswerText {
  /** The step that gives the answer; undefined while no plan was seen. */
  #step: string | undefined
  /** What each model call said; under `undefined` the answer of the last event. */
  readonly #said = new Map<string | undefined, string>()
  #newest: string | undefined
  #text = ''

  get text(): string {
    return this.#text
  }

  /** @returns undefined where the answer stays as it was */
  apply(event: RunEvent): AnswerChange | undefined {
    if (event.type === 'plan.created') this.#step = event.data.steps.at(-1)?.id
    if (event.type === 'plan.revised') this.#step = event.data.plan.steps.at(-1)?.id
    const said = answerEventOf(event) ?? event
    const { callId, stage = 'execute', stepId = this.#step } = said
    if (stage !== 'execute' || (this.#step !== undefined && stepId !== this.#step)) return undefined
    switch (said.type) {
      case 'message.delta':
        return this.#add(callId, said.data.text)
      case 'message.snapshot':
        if (callId === undefined) this.#said.clear()
        return this.#say(callId, said.data.textSoFar)
      case 'message.completed':
        return callId === undefined ? undefined : this.#say(callId, toText(said.data.content))
      case 'message.reset':
        if (callId === undefined) this.#said.clear()
        else this.#said.delete(callId)
        return this.#change()
      default:
        return undefined
    }
  }

  #add(callId: string | undefined, piece: string): AnswerChange | undefined {
    const known = this.#said.get(callId)
    if (known === undefined || callId !== this.#newest) return this.#say(callId, (known ?? '') + piece)
    this.#said.set(callId, known + piece)
    this.#text += piece
    return { text: piece, isWhole: false }
  }

  #say(callId: string | undefined, text: string): AnswerChange | undefined {
    if (!this.#said.has(callId)) this.#newest = callId
    this.#said.set(callId, text)
    return this.#change()
  }

  #change(): AnswerChange | undefined {
    const known = this.#text
    const text = [...this.#said.values()].join('')
    this.#text = text
    if (text === known) return undefined
    return text.startsWith(known) ? { text: text.slice(known.length), isWhole: false } : { text, isWhole: true }
  }
}
