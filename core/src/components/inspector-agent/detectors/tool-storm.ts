import type { ToolCallView } from '../../../contracts/run/call-view.ts'
import type { Detector } from '../detector.ts'
import { textOf } from '../tool-call.ts'

/** Errors that speak against the call, not against the tool. */
const CALLERS_FAULT: ReadonlySet<string> = new Set(['tool_bad_args', 'tool_not_found', 'path_outside_root'])
const NOTHING_THERE = /\b(?:ENOENT|EISDIR|ENOTDIR|no such file|not found|does not exist|404)\b/i

/** A tool that keeps failing, whichever agent calls it: its circuit is opened, so that no agent waits for it (Nygard, 2007). */
export const toolStorm: Detector = {
  code: 'tool-storm',
  on: ['tool.completed', 'tool.failed'],
  watch(facts, { stormCalls, stormErrorShare }) {
    const tools = new Map<string, { recent: { hasFailed: boolean; seq: number }[]; opened: number }>()
    return (event) => {
      const { call } = facts
      if (call === undefined || isCallersFault(call)) return undefined
      const { tool } = call
      const hasFailed = call.status === 'failed'
      let state = tools.get(tool)
      if (state === undefined) {
        state = { recent: [], opened: 0 }
        tools.set(tool, state)
      }
      state.recent.push({ hasFailed, seq: event.seq ?? 0 })
      if (state.recent.length > stormCalls) state.recent.shift()
      if (!hasFailed || state.recent.length < stormCalls) return undefined
      const failed = state.recent.filter((recent) => recent.hasFailed)
      if (failed.length < stormErrorShare * stormCalls) return undefined
      state.opened++
      state.recent = []
      return {
        subject: `${tool}/${state.opened}`,
        severity: 'critical',
        message: `${failed.length} of the last ${stormCalls} calls of ${tool} failed`,
        fix: `Do not call ${tool} for a while; use another tool or go on without it.`,
        action: 'circuit',
        tool,
        evidence: failed.map(({ seq }) => seq),
      }
    }
  },
}

const isCallersFault = (call: ToolCallView): boolean =>
  call.status === 'failed' &&
  (CALLERS_FAULT.has(call.error?.code ?? '') || NOTHING_THERE.test(textOf(call).slice(0, 400)))
