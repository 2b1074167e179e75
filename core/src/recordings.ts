/** `@svc/core/recordings`: runs as files, and how their calls are found and their logs compared. */

export { promptsOf } from './contracts/prompt-of.ts'
export { modelCallId } from './runtime/calls/model/model-call.ts'
export { hashTools, isSameContent, withoutIds } from './runtime/calls/model/request-content.ts'
export { findChanges } from './runtime/find-changes.ts'
export { comparableResult, findFirstDifference } from './runtime/runs/compare-events.ts'
export { type RunFile, readRunFile } from './runtime/runs/run-file.ts'
export { canonicalJson } from './support/canonical-json.ts'
