import type { ExecutionResult, RunView } from '@svc/core'
import { shownStateOf } from '@svc/core/client'
import { count, oneLine } from './one-line.ts'
import { toCount } from './run.ts'
import { toDuration } from './time.ts'

type Facts = NonNullable<ExecutionResult['facts']>

/** Of each kind so many are named; the rest is counted. */
const MOST = 5

/**
 * How a run ended and what it took, in the one line that stays on a terminal.
 *
 * @param view of the run: of one that was stopped it knows what had begun
 */
export function renderClosingLine(result: ExecutionResult, view: Pick<RunView, 'steps' | 'modelCalls'>): string {
  const { runId, timing, agents, usage, costUsd } = result
  const atWork = new Set([...view.steps.values()].map(({ agentId }) => agentId))
  // A call that was cut off has no end to be counted by.
  const begun = view.modelCalls.filter(({ usage: { inputTokens, outputTokens } }) => inputTokens + outputTokens > 0)
  return [
    shownStateOf(result).text,
    ...toHeld(result),
    toDuration(timing.durationMs),
    count(Math.max(agents.length, atWork.size), 'agent'),
    count(Math.max(usage.modelCalls, begun.length), 'model call'),
    `${toCount(usage.inputTokens + usage.outputTokens)} tokens`,
    ...(costUsd === 0 ? [] : [costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`]),
    runId,
  ].join(', ')
}

/** Of an answer that is not verified, how much of it the evidence holds. */
function toHeld({ verdict, claims }: Pick<ExecutionResult, 'verdict' | 'claims'>): string[] {
  if (verdict === 'pass' || claims.length === 0) return []
  const held = claims.filter((claim) => claim.verdict === 'supported').length
  return [`${held} of ${count(claims.length, 'statement')} held`]
}

/** What a run did, a line for each kind of fact that there is. */
export function renderFacts({ programs, files, sent, missed, untouched }: Facts): string[] {
  return [
    toLine('ran', programs, toProgram),
    toLine('files', files, toFile),
    toLine(
      'sent',
      sent,
      ({ tool, target, status }) => `${tool}${about(target)}${status === undefined ? '' : ` (${status})`}`,
    ),
    toLine('not done', missed, toMissed),
    toLine('named, not touched in this run', untouched, (name) => oneLine(name)),
  ].filter((line) => line !== '')
}

function toLine<T>(head: string, facts: readonly T[], toText: (fact: T) => string): string {
  if (facts.length === 0) return ''
  const more = facts.length > MOST ? `; ${facts.length - MOST} more` : ''
  return `${head}: ${facts.slice(-MOST).map(toText).join('; ')}${more}`
}

/** Why a call was denied is said as a warning. */
const toMissed = ({ tool, target, why, reason }: Facts['missed'][number]): string =>
  `${tool}${about(target)} ${why}${why === 'denied' ? '' : `: ${oneLine(reason)}`}`

function toProgram({ command, exitCode, editedAfter }: Facts['programs'][number]): string {
  const told = [
    ...(exitCode === undefined ? [] : [`exit ${exitCode}`]),
    ...(editedAfter ? ['files changed after it'] : []),
  ]
  return `${oneLine(command)}${told.length === 0 ? '' : ` (${told.join(', ')})`}`
}

function toFile({ path, change, from, added, removed }: Facts['files'][number]): string {
  const lines = added === undefined || removed === undefined ? '' : ` +${added} -${removed}`
  return `${path} ${change}${from === undefined ? '' : ` from ${from}`}${lines}`
}

const about = (target: string | undefined): string => (target === undefined ? '' : ` ${oneLine(target)}`)
