import type { Detector } from '../detector.ts'
import type { Action } from '../run-facts.ts'

/** Errors that speak against the call, not against the tool. */
const CALLERS_FAULT: ReadonlySet<string> = new Set(['tool_bad_args', 'tool_not_found', 'path_outside_root'])
const NOTHING_THERE = /\b(?:ENOENT|EISDIR|ENOTDIR|no such file|not found|does not exist|404)\b/i

/** A tool that keeps failing, whoever calls it: its circuit is opened, so that nobody waits for it in vain (Nygard, 2007). */
export const toolStorm: Detector = {
  code: 'tool-storm',
  on: ['tool.completed', 'tool.failed'],
  watch(facts, { stormCalls, stormErrorShare }) {
    const tools = new Map<string, { recent: { failed: boolean; ref: string }[]; opened: number }>()
    return (event) => {
      const { action } = facts
      if (action === undefined || isCallersFault(action)) return undefined
      const state = tools.get(action.tool) ?? { recent: [], opened: 0 }
      tools.set(action.tool, state)
      state.recent.push({ failed: action.outcome === 'failed', ref: facts.refOf(event) })
      if (state.recent.length > stormCalls) state.recent.shift()
      const failed = state.recent.filter((call) => call.failed)
      if (
        action.outcome !== 'failed' ||
        state.recent.length < stormCalls ||
        failed.length < stormErrorShare * stormCalls
      )
        return undefined
      state.opened++
      state.recent = []
      return {
        subject: `${action.tool}/${state.opened}`,
        severity: 'critical',
        message: `${failed.length} of the last ${stormCalls} calls of ${action.tool} failed`,
        fix: `Leave ${action.tool} alone for a while; use another tool or go on without it.`,
        action: 'circuit',
        tool: action.tool,
        evidence: failed.map(({ ref }) => ref),
      }
    }
  },
}

const isCallersFault = ({ outcome, errorCode, text }: Action): boolean =>
  outcome === 'failed' && (CALLERS_FAULT.has(errorCode) || NOTHING_THERE.test(text.slice(0, 400)))
