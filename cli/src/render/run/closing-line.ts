import type { ExecutionResult, RunView, Warning } from '@svc/core'
import { shownStateOf } from '@svc/core/client'
import { count, oneLine } from '../one-line.ts'
import { toDuration } from '../time.ts'
import { describeTokens } from './run.ts'

type Facts = NonNullable<ExecutionResult['facts']>

/** Of each kind the first are named, so many; the rest is counted. */
const MOST = 5

/**
 * How a run ended and what it took, in one line.
 *
 * @param view of the run: of one that was stopped it knows what had begun
 */
export function renderClosingLine(result: ExecutionResult, view: Pick<RunView, 'steps'>): string {
  const { runId, timing, agents, usage, costUsd } = result
  const atWork = new Set([...view.steps.values()].map(({ agentId }) => agentId))
  return [
    shownStateOf(result).text,
    ...toHeld(result),
    toDuration(timing.durationMs),
    count(Math.max(agents.length, atWork.size), 'agent'),
    count(usage.modelCalls, 'model call'),
    describeTokens(usage),
    ...(costUsd === 0 ? [] : [costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`]),
    runId,
  ].join(', ')
}

/** Of an answer that is not verified, how much of it the evidence holds. */
function toHeld(result: ExecutionResult): string[] {
  const { claims } = result
  const { verdict } = shownStateOf(result)
  if (verdict === undefined || verdict === 'pass' || claims.length === 0) return []
  const held = claims.filter((claim) => claim.verdict === 'supported').length
  return [`${held} of ${count(claims.length, 'statement')} held`]
}

/**
 * What a run did, a line for each kind of fact that there is; what was run again stands once.
 *
 * @param warnings say why a call was denied or failed: it is not said again
 */
export function renderFacts(
  { calls, programs, files, sent, missed, untouched }: Facts,
  warnings: readonly Warning[],
): string[] {
  const isSaid = ({ tool, reason }: Facts['missed'][number]): boolean =>
    reason !== '' && warnings.some(({ message }) => message.includes(tool) && message.includes(reason))
  const runs = new Map<string, Facts['programs']>()
  for (const run of programs) runs.set(run.command, [...(runs.get(run.command) ?? []), run])
  return [
    toLine('ran', [...runs.values()].map(toProgram)),
    toLine('files', files.map(toFile)),
    toLine('sent', sent.map(toSent)),
    toLine('not done', missed.filter((call) => !isSaid(call)).map(toMissed)),
    toLine(
      calls === 0 ? 'no tool was called in this run; the answer names' : 'named, not touched in this run',
      untouched.map((name) => oneLine(name)),
    ),
  ].filter((line) => line !== '')
}

function toLine(head: string, facts: readonly string[]): string {
  if (facts.length === 0) return ''
  const shown = facts.length > MOST + 1 ? facts.slice(0, MOST) : facts
  const more = facts.length - shown.length
  return `${head}: ${shown.join('; ')}${more === 0 ? '' : `; ${more} more`}`
}

const toSent = ({ tool, target, status }: Facts['sent'][number]): string =>
  `${tool}${about(target)}${status === undefined ? '' : ` (${status})`}`

const toMissed = ({ tool, target, why, reason }: Facts['missed'][number]): string =>
  `${tool}${about(target)} ${why}${reason === '' ? '' : `: ${oneLine(reason)}`}`

function toProgram(runs: Facts['programs']): string {
  const { command = '', editedAfter = false } = runs.at(-1) ?? {}
  const codes = runs.flatMap(({ exitCode }) => exitCode ?? [])
  const told = [
    ...(codes.length > 0 && codes.at(-1) !== 0 ? ['failed'] : []),
    ...(codes.length === 0 ? [] : [`exit ${new Set(codes).size === 1 ? codes[0] : codes.join(', then ')}`]),
    ...(runs.length === 1 ? [] : [`run ${runs.length} times`]),
    ...(editedAfter ? ['files changed after it'] : []),
  ]
  return `${oneLine(command)}${told.length === 0 ? '' : ` (${told.join(', ')})`}`
}

function toFile({ path, change, from, added, removed }: Facts['files'][number]): string {
  const lines = added === undefined || removed === undefined ? '' : ` +${added} -${removed}`
  return `${path} ${change}${from === undefined ? '' : ` from ${from}`}${lines}`
}

const about = (target: string | undefined): string => (target === undefined ? '' : ` ${oneLine(target)}`)
