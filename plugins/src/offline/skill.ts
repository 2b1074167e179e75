import { note, type Part } from './claim.ts'
import type { Look } from './look.ts'
import type { OfferedTools } from './offered-tools.ts'
import type { Question } from './question.ts'
import type { ToolSession } from './tool-session.ts'

/** What a skill found. */
export interface Finding {
  readonly parts: readonly Part[]
  /** The same as values under names, for answers that must have a shape. */
  readonly facts?: Readonly<Record<string, unknown>>
  /** True: what it found answers the question, so that no general search is needed. */
  readonly answered: boolean
  /** True: what was asked is not there, or not known; the answer then opens by saying so. */
  readonly missing?: boolean
  /** Parts of the question, in its words, that have no answer beside those that have one. */
  readonly open?: readonly string[]
}

/** A finding that says that there is none, and why. */
export const notFound = (why: string, facts: Finding['facts'] = {}): Finding => ({
  parts: [note(why)],
  facts,
  answered: true,
  missing: true,
})

/** One kind of question. */
export interface Skill {
  readonly id: string
  /** Whether the wording asks for it. */
  asks(question: Question, tools: OfferedTools): boolean
  work(session: ToolSession): Look<Finding>
}
