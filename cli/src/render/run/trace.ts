import { type Change, type ErrorInfo, isTerminalEvent, type RunEvent, type Stage, type StageTap } from '@svc/core'
import { count } from '../one-line.ts'
import { renderTable } from '../table.ts'
import { fit, pad, widthOf } from '../width.ts'

/** What a tap did: nothing was there to say, it gave the answer, changed the one before, or threw. */
export type TapOutcome = 'deferred' | 'answered' | 'amended' | 'failed'

/** One time that a stage was asked. */
export interface StageTrace {
  stage: Stage
  /** From 1: a stage is asked again after a plan that failed, or a reflection. */
  attempt: number
  /** Number of the event that ended it; of the one that began it where it runs. */
  seq: number
  status: 'completed' | 'failed' | 'cancelled' | 'running'
  durationMs?: number
  /** Whose answer stands; empty where nobody answered. */
  plugin?: string
  /** The run is a fork that kept the stage: the time and the tokens are those of its parent. */
  inherited?: true
  error?: ErrorInfo
  /** In the order in which they were asked; absent where the log has none. */
  taps?: (StageTap & { outcome: TapOutcome })[]
}

/** What the taps of one plugin took together. */
export interface PluginTotal {
  plugin: string
  taps: number
  durationMs: number
  /** Part of the time of all taps, 0 to 1. */
  timeShare: number
  tokens: number
  /** Part of the tokens of all taps, 0 to 1. */
  tokenShare: number
}

/** Every tap of every stage of a run, and what each plugin took. */
export interface StagesTrace {
  stages: StageTrace[]
  totals: PluginTotal[]
}

/** The taps of a run, out of its log as far as it goes. */
export function toTrace(events: readonly RunEvent[]): StagesTrace {
  const stages: StageTrace[] = []
  for (const event of events) {
    const { stage, seq = 0 } = event
    if (isTerminalEvent(event)) for (const trace of stages) if (trace.status === 'running') trace.status = 'cancelled'
    if (stage === undefined) continue
    if (event.type === 'stage.started') {
      const attempt = stages.filter((earlier) => earlier.stage === stage).length + 1
      stages.push({ stage, attempt, seq, status: 'running', ...(event.data.plugins.length === 0 && { taps: [] }) })
    } else if (event.type === 'stage.completed' || event.type === 'stage.failed') {
      const trace = stages.findLast((earlier) => earlier.stage === stage && earlier.status === 'running')
      if (trace === undefined) continue
      trace.seq = seq
      if (event.type === 'stage.failed') {
        const { error } = event.data
        Object.assign(trace, { status: error.code === 'cancelled' ? 'cancelled' : 'failed', error })
      } else {
        const { durationMs, plugin, inherited } = event.data
        Object.assign(trace, { status: 'completed', durationMs, plugin, ...(inherited && { inherited }) })
      }
      const { taps } = event.data
      if (taps !== undefined) trace.taps = taps.map((tap, at) => ({ ...tap, outcome: outcomeOf(tap, at, taps, trace) }))
    }
  }
  return { stages, totals: toTotals(stages.flatMap(({ taps = [] }) => taps)) }
}

/** The last tap of a stage that failed is the one that threw, unless all were silent. */
function outcomeOf({ answered, changes = [] }: StageTap, at: number, taps: readonly StageTap[], { error }: StageTrace) {
  if (error !== undefined && error.code !== 'stage_unanswered' && at === taps.length - 1) return 'failed'
  if (!answered) return 'deferred'
  return changes.length > 0 ? 'amended' : 'answered'
}

function toTotals(taps: readonly StageTap[]): PluginTotal[] {
  const all = { durationMs: 0, tokens: 0 }
  const byPlugin = new Map<string, PluginTotal>()
  for (const { plugin, durationMs, tokens = 0 } of taps) {
    const none = { plugin, taps: 0, durationMs: 0, timeShare: 0, tokens: 0, tokenShare: 0 }
    const total = byPlugin.get(plugin) ?? none
    byPlugin.set(plugin, total)
    total.taps++
    for (const sum of [all, total]) {
      sum.durationMs += durationMs
      sum.tokens += tokens
    }
  }
  const totals = [...byPlugin.values()].map((total) => ({
    ...total,
    timeShare: all.durationMs === 0 ? 0 : total.durationMs / all.durationMs,
    tokenShare: all.tokens === 0 ? 0 : total.tokens / all.tokens,
  }))
  return totals.sort((a, b) => b.durationMs - a.durationMs)
}

/** Stage by stage what each tap took, did and changed; then what each plugin took. */
export function renderTrace({ stages, totals }: StagesTrace, columns: number): string {
  if (stages.length === 0) return 'no stage was asked'
  const lines = stages.flatMap((trace) => [headOf(trace), ...linesOf(trace)])
  const rows = totals.map(({ plugin, taps, durationMs, timeShare, tokens, tokenShare }) => {
    const share = tokens === 0 ? '' : toPercent(tokenShare)
    return [plugin, String(taps), toMs(durationMs), toPercent(timeShare), String(tokens), share]
  })
  const table = renderTable(['PLUGIN', 'TAPS', 'TIME', 'SHARE', 'TOKENS', 'SHARE'], rows, columns)
  return [...lines.map((line) => cut(line, columns)), ...(rows.length === 0 ? [] : ['', table])].join('\n')
}

function headOf({ stage, attempt, status, inherited }: StageTrace): string {
  const again = attempt === 1 ? '' : `, attempt ${attempt}`
  const kept = inherited ? ', kept from the run that was forked' : ''
  return `${stage}${again}${kept}${status === 'completed' ? '' : `: ${status}`}`
}

function linesOf({ taps, status, error }: StageTrace): string[] {
  const failure = error === undefined ? [] : [`  ${error.message} [${error.code}]`]
  if (taps === undefined) return [status === 'running' ? '  its taps are logged when it ends' : NO_TAPS, ...failure]
  if (taps.length === 0) return ['  no plugin taps it', ...failure]
  const names = taps.map(({ plugin, tap }) => (tap === plugin ? plugin : `${plugin}: ${tap}`))
  const width = Math.max(14, ...names.map(widthOf))
  const lines = taps.flatMap(({ durationMs, tokens, outcome, changes = [] }, at) => {
    const used = tokens === undefined ? '' : `  ${count(tokens, 'token')}`
    const time = toMs(durationMs).padStart(12)
    const more = changes.length < MOST_CHANGES ? [] : [`    the log keeps the first ${MOST_CHANGES} changes`]
    return [`  ${pad(names[at] ?? '', width)} ${time}  ${outcome}${used}`, ...changes.map(describeChange), ...more]
  })
  return [...lines, ...failure]
}

/** Changes that the log keeps of one tap, at most. */
export const MOST_CHANGES = 20

const NO_TAPS = '  the log has no taps of it: an older svc wrote it, or the stage was stopped'

const describeChange = ({ path, before, after }: Change): string =>
  `    ${path || '/'}: ${short(before)} -> ${short(after)}`

const short = (value: unknown): string => (value === null ? 'nothing' : fit(JSON.stringify(value), 100))

/** The line, indented as it was, within so many columns. */
function cut(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line
  const indent = line.length - line.trimStart().length
  return `${line.slice(0, indent)}${fit(line, columns - indent)}`
}

const toMs = (ms: number): string => `${ms.toFixed(2)} ms`

const toPercent = (share: number): string => `${(100 * share).toFixed(1)} %`
