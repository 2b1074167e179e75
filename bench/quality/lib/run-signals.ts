/** A tool call as far as its course matters; equal names stand for equal arguments and equal results. */
export interface SignalCall {
  tool: string
  args: string
  result: string
  failed: boolean
  kind: 'look' | 'change' | 'handover'
}

/** How a finished run went, in numbers that say something about its success. */
export interface RunSignals {
  /** ln(1 + messages and calls). */
  length: number
  /** ln(1 + tool calls). */
  calls: number
  /** ln(1 + failed tool calls). */
  errors: number
  /** Share of different calls among all. */
  distinct: number
  /** 1 when the work was handed over to somebody else. */
  handover: number
  /**
   * What the last repeated look said: 1 when it had changed since it was asked before, -1 when not, 0 without one. Who
   * looks again after a change and sees no difference has usually not succeeded.
   */
  lastLook: number
}

const LOOKS =
  /^(?:get|find|search|list|check|can|is|has|run|calculate|look|read|view|fetch|query|show|describe|test|count|grep|stat)(?![a-z])/i
const HANDS_OVER = /^(?:transfer|escalate|hand_?off|hand_?over)(?![a-z])/i
const READS: ReadonlySet<string> = new Set(['read', 'network', 'execute'])

/** What a call does, by the risk of its tool, or else by its name. */
export function kindOfCall(tool: string, risk = ''): SignalCall['kind'] {
  if (HANDS_OVER.test(tool)) return 'handover'
  if (risk !== '') return READS.has(risk) ? 'look' : 'change'
  return LOOKS.test(tool) ? 'look' : 'change'
}

/** @param messages how many messages were exchanged, tool results among them. Linear in the calls. */
export function toRunSignals(calls: readonly SignalCall[], messages: number): RunSignals {
  const results = new Map<string, string>()
  let lastLook = 0
  for (const { tool, args, result, kind } of calls) {
    const name = `${tool} ${args}`
    const before = results.get(name)
    if (before !== undefined && kind === 'look') lastLook = before === result ? -1 : 1
    results.set(name, result)
  }
  return {
    length: Math.log1p(messages),
    calls: Math.log1p(calls.length),
    errors: Math.log1p(calls.filter(({ failed }) => failed).length),
    distinct: results.size / Math.max(1, calls.length),
    handover: calls.some(({ kind }) => kind === 'handover') ? 1 : 0,
    lastLook,
  }
}
