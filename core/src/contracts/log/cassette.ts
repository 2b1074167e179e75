import type { ErrorInfo } from '../error-info.ts'
import type { ModelAnswer } from '../model/model.ts'
import type { ToolAnswer } from '../tool/tool.ts'
import type { EventData, EventOf } from './event.ts'
import type { StepRow } from './journal.ts'
import type { PromptMessage } from './prompt.ts'

/** What decides how a model answers, as far as svc knows: the model and what it is sent. */
export interface RequestContent {
  provider: string
  model: string
  messages: readonly PromptMessage[]
  params: EventData['model.started']['params']
  /** The descriptions of the offered tools that a registry has, by a hash of each. */
  tools: Readonly<Record<string, string>>
}

/** What came of a recorded model call, one after the other: tries that failed, and the answer. */
export type RecordedOutcome =
  | EventOf<'model.retrying'>
  | EventOf<'model.adapted'>
  | EventOf<'model.failed'>
  | { type: 'answer'; answer: ModelAnswer }

/** A recorded tool call that was made. */
export interface RecordedToolCall {
  answer: ToolAnswer
  started: EventData['tool.started']
}

/**
 * Recorded calls, which the gateways ask before they make one.
 *
 * Contract: a recorded call is handed out once. Call sites are journal keys, such as
 * `execute/agent:agent-2/attempt:1/model:3`, so each of several equal votes gets the answer of its own.
 */
export interface Cassette {
  /** True: a call that is not recorded is an error, no tool is run, and nobody is asked for approval. */
  readonly isStrict: boolean
  /** True: it came in a file, so that runs that are answered from it rest on something untrusted. Default false. */
  readonly isUntrusted?: boolean
  /** What else was recorded of the run and is not to be done again: what people said, what its thread and the memory held. */
  readonly steps: readonly StepRow[]
  /** @returns what came of the call; else, in a sentence, how it differs from what is recorded */
  modelCall(site: string, content: RequestContent): RecordedOutcome[] | string
  /** The same for a tool; undefined where such a call is not recorded. */
  toolCall(site: string, call: { tool: string; args: unknown }): RecordedToolCall | undefined
  /**
   * Resolves when it is a recorded call's turn to begin or to end: calls at once do so in the order of the recording, since what
   * one takes of the budget, and what the inspector says of it, counts for the others.
   *
   * @param call site of a model call; of a tool call, agent and call id with a space between them
   * @returns undefined where nothing has to be waited for
   */
  inTurn(call: string, what: 'begin' | 'end'): undefined | Promise<void>
  /** The failure that a run ended with in the middle of a call, for a call whose end is not recorded. */
  readonly ending: ErrorInfo | undefined
}
