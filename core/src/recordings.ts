/** `@svc/core/recordings`: runs as files, and how their calls are found and their logs compared. */

export { promptsOf } from './contracts/log/prompt-of.ts'
export { modelCallId } from './runtime/calls/model/model-call.ts'
export { hashTools, isSameContent, withoutIds } from './runtime/calls/model/request-content.ts'
export { type CassetteMode, type CassetteReport, RunCassette } from './runtime/runs/history/cassette/cassette.ts'
export { assertNoneMissing } from './runtime/runs/history/recorded-parts.ts'
export { type ReplayedRun, replayIn, standInsOf, toReplayResult } from './runtime/runs/history/replay.ts'
export { type RunFile, readRunFile } from './runtime/runs/history/run-file.ts'
export { withoutRights } from './runtime/runs/service/new-run.ts'
export {
  comparableResult,
  findEventChanges,
  findFirstDifference,
} from './runtime/runs/session/recovery/compare-events.ts'
export { canonicalJson } from './support/canonical-json.ts'
export { findChanges } from './text/find-changes.ts'
