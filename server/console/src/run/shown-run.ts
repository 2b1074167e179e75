import type { Signal } from '@preact/signals'
import { shownPartOf, shownStateOf, type ToolCallView } from '@svc/core/client'
import type { Run } from '@svc/sdk/remote'
import { clock } from '../session/clock.ts'
import { resultOf } from '../state/outcome.ts'
import type { RunState } from '../state/run-state.ts'
import type { Span } from '../state/spans.ts'

/** The run that a page shows, now or as it was. */
export interface ShownRun {
  id: string
  /** All that is known of it. */
  live: RunState
  /** What is to be shown: the same as `live`, or how it was when event `past` had just happened. */
  state: RunState
  /** Number of the event up to which the run is shown; undefined: now. */
  past: Signal<number | undefined>
  /** It has not ended, and no process works on it. */
  isLeft: boolean
  /** Its folder, where this server works for another one: it can be read here, and nothing else. */
  elsewhere: string | undefined
  /** Counts what was taken in: another object for each makes what shows it draw again. */
  turn: number
}

/** Whether nobody works on a run, as it was listed: what happened since then shows that somebody does. */
export const isLeftOf = (listed: Pick<Run, 'left' | 'lastSeq'> | undefined, { events }: RunState): boolean =>
  listed?.left === true && listed.lastSeq >= events.length

/**
 * The end of the time that is shown, in milliseconds since the epoch: it goes on while somebody works on the run, and
 * stands still otherwise, and where one looks back.
 */
export function endOfTime(shown: ShownRun): number {
  const { state, past } = shown
  const isStill = past.value !== undefined || !stateOf(shown).isAtWork
  return isStill ? state.newestAt : Math.max(state.newestAt, clock.value)
}

/** How the run stands at the moment that is shown. */
export function stateOf({ state, live, isLeft }: ShownRun) {
  const { verdict, error, incomplete } = resultOf(state) ?? {}
  const { status } = state.view
  return shownStateOf({
    status,
    verdict,
    left: isLeft && state === live,
    ...(error && { error }),
    ...(incomplete && { incomplete }),
  })
}

/**
 * How a part of the run is shown: what has not ended waits where its agent does, or, of no agent, where nobody is at work.
 */
export function partOf(shown: ShownRun, status: string, agentId = ''): string {
  const { state, live, isLeft } = shown
  const { agents, status: ofRun } = state.view
  const isOfAgent = agents.get(agentId)?.status
  const isIdle = ofRun === 'waiting' && ![...agents.values()].some((agent) => agent.status === 'running')
  if (status === 'running' && (isOfAgent === undefined ? isIdle : isOfAgent === 'waiting')) return 'waiting'
  return shownPartOf(status, { status: ofRun, left: isLeft && state === live })
}

/** How a call of a tool stands: one that a person is asked about waits. */
export function callStatus(shown: ShownRun, { status, agentId, callId }: ToolCallView): string {
  const isAsked = [...shown.state.view.approvals.values()].some(
    (approval) => approval.status === 'pending' && approval.agentId === agentId && approval.callId === callId,
  )
  return partOf(shown, isAsked ? 'waiting' : status, agentId)
}

/** How a span stands: a wait for a person is one as long as it goes on. */
export const spanStatus = (shown: ShownRun, { kind, status, agentId }: Span): string =>
  kind === 'wait' && status === 'running' ? 'waiting' : partOf(shown, status, agentId)
