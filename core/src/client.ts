/** `@svc/core/client`: what a client of a server needs, in a browser too: nothing here imports a module of Node or TypeBox. */

export type * from './contracts/index.ts'
export { createAnswerEvents, isAnswerEvent } from './contracts/log/answer-events.ts'
export { type AnswerChange, AnswerText } from './contracts/log/answer-text.ts'
export { comparedPart, VOLATILE_FIELDS } from './contracts/log/compared-event.ts'
export { isEphemeral, isTerminalEvent } from './contracts/log/event.ts'
export { promptOf } from './contracts/log/prompt-of.ts'
export { runStateOf } from './contracts/memory/memory-record.ts'
export { toAgentId } from './contracts/plugin/agent-id.ts'
export { isTerminal, shownPartOf, shownStateOf, toEndedRun } from './contracts/run/run-end.ts'
export { RunView } from './contracts/run/run-view.ts'
export { describeTaint, isFolderAlone } from './contracts/run/taint/describe-taint.ts'
export * from './errors.ts'
export {
  END_FRAME,
  EVENT_STREAM_HEADERS,
  KEEP_ALIVE_FRAME,
  KEEP_ALIVE_MS,
  toEventFrame,
} from './runtime/observe/event-frame.ts'
export {
  FORK_EDITS,
  type ForkEdit,
  type ForkEdits,
  type ForkPoint,
  findForkPoint,
  hasWorkAfter,
} from './runtime/runs/history/fork-point.ts'
export { checkByStandard, isStandard, toJsonSchema } from './runtime/standard-schema.ts'
export { exitCodeOf } from './text/calls/exit-code.ts'
export { describeAbort, describeErrors } from './text/describe-errors.ts'
export { findFileTexts, toFileText } from './text/media/file-text.ts'
export { nearest } from './text/nearest.ts'
export { toShownPlace, toShownText } from './text/shown/shown-text.ts'
export { toVisible, toVisibleJson, UNSAFE } from './text/shown/visible.ts'
export { toSummaryRequest } from './text/task/summary-request.ts'
