import type { Look } from './look.ts'
import type { OfferedTools } from './offered-tools.ts'
import { note, type Part } from './question/cited-sentence.ts'
import type { Question } from './question/question.ts'
import type { ToolSession } from './tool-session.ts'

/** What a skill found. */
export interface Finding {
  readonly parts: readonly Part[]
  /** The same as values under names, for answers that must have a shape. */
  readonly facts?: Readonly<Record<string, unknown>>
  /** True: what was asked is not there, or not known; the answer then opens by saying so. */
  readonly missing?: boolean
}

/** A finding that says that there is none, and why. */
export const notFound = (why: string): Finding => ({ parts: [note(why)], missing: true })

/** One kind of question. */
export interface Skill {
  readonly id: string
  /** Whether the wording asks for it. */
  asks(question: Question, tools: OfferedTools): boolean
  /** Undefined where it turns out to be none of its questions: the next skill is asked. */
  work(session: ToolSession): Look<Finding | undefined>
}
