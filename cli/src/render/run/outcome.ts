import type { Claim, ErrorInfo, ExecutionResult, Warning } from '@svc/core'
import type { CommandContext } from '../../frame/context.ts'
import { toSafe, toSafeLine } from '../../frame/io.ts'
import { wrapSpans } from '../markdown/spans.ts'
import { toLines } from '../width.ts'
import { renderFacts } from './closing-line.ts'

/** What a run and a plan say about how they ended. */
export interface Outcome {
  status: ExecutionResult['status']
  verdict?: ExecutionResult['verdict']
  error?: ErrorInfo
  incomplete?: { reason: string }
  /** What the answer says, each held against the run's log. */
  claims?: readonly Pick<Claim, 'text' | 'verdict'>[]
  warnings: readonly Warning[]
  /** What the run did. */
  facts?: ExecutionResult['facts']
}

/** Says on standard error what a run did; nothing with `-q`. */
export function sayFacts(
  { facts, warnings }: Pick<Outcome, 'facts' | 'warnings'>,
  context: Pick<CommandContext, 'io' | 'flags'>,
): void {
  if (facts === undefined || context.flags.quiet) return
  for (const line of renderFacts(facts, warnings)) sayDim(context, line)
}

/** Says a line on standard error that may be passed over. */
export function sayDim({ io }: Pick<CommandContext, 'io'>, line: string): void {
  const columns = io.canRedraw ? io.columns : Number.POSITIVE_INFINITY
  io.err(`${io.paint.dim(toLines(toSafe(`svc: ${line}`), columns).join('\n'))}\n`)
}

/** What a person reads for a reason that came without an error. */
const REASONS: Readonly<Record<string, string>> = {
  not_found: 'the answer says that it does not answer',
  checks_failed: 'the answer is printed, but it failed checks of svc',
  not_verified: 'not all of the answer could be verified, which --strict asks for',
  approval_denied: 'a call that changes something was not approved, and the run did not do without it',
  policy_denied: 'a rule denied a call that changes something, and the run did not do without it',
}

/** By reason, the codes of the warnings that say it in full: the first is said as the reason, and not a second time. */
const SAYS_WHY: Readonly<Record<string, readonly string[]>> = {
  approval_denied: ['approval_required', 'approval_denied', 'approval_expired'],
  policy_denied: ['policy_denied'],
}

/** Warnings that say why a run is incomplete. */
const EXPLAINS: ReadonlySet<string> = new Set([
  'claim_contradicted',
  'output_schema_mismatch',
  'check_failed',
  'approval_required',
  'approval_denied',
  'policy_denied',
])

/** The reason of a strict run: then what is open says why, too. */
const NOT_VERIFIED = 'not_verified'
const MOST_CLAIMS = 5

/** A warning that is said before the run, once a day. */
const SAID_BEFORE = 'offline_provider'

/**
 * Says on standard error how a run ended. Warnings are left out with `-q`; why a run is not completed, and what its
 * answer claims falsely, never.
 */
export function reportOutcome(
  { status, error, incomplete, claims = [], warnings }: Outcome,
  { io, flags: { quiet }, hasSaid }: Pick<CommandContext, 'io' | 'flags' | 'hasSaid'>,
): void {
  const { err, paint } = io
  const columns = io.canRedraw ? io.columns - 1 : Number.POSITIVE_INFINITY
  const say = (head: string, message: string, code: string | undefined, color = paint.yellow): void => {
    const spans = [
      { text: head, paint: color },
      { text: ' ', paint: String },
      { text: toSafeLine(message), paint: String },
      ...(code === undefined ? [] : [{ text: ` [${toSafe(code)}]`, paint: paint.dim }]),
    ]
    err(`${wrapSpans(spans, columns).join('\n')}\n`)
  }
  const failed = status === 'incomplete'
  const reason = incomplete?.reason
  const why = warnings.find(({ code }) => failed && SAYS_WHY[reason ?? '']?.includes(code))
  const shown = warnings.filter(
    (warning) =>
      warning !== why &&
      warning.code !== SAID_BEFORE &&
      (!quiet || (failed && EXPLAINS.has(warning.code))) &&
      !hasSaid(warning.message),
  )
  for (const { code, message } of shown) say('svc: warning:', message, code)
  if (failed) {
    const open = claims
      .filter(({ verdict }) => verdict === 'contradicted' || (verdict === 'unsupported' && reason === NOT_VERIFIED))
      .filter(({ text }) => !shown.some(({ message }) => message.includes(text)))
    for (const { text, verdict } of open.slice(0, MOST_CLAIMS)) say(`svc: ${verdict}:`, text, undefined)
    if (open.length > MOST_CLAIMS) say('svc:', `and ${open.length - MOST_CLAIMS} more, see --json`, undefined)
  }
  const said = why?.message ?? error?.message ?? REASONS[reason ?? ''] ?? 'a limit was reached'
  if (failed) say('svc: incomplete:', said, reason)
  else if (status !== 'completed')
    say(`svc: ${status}:`, error?.message ?? 'no reason was given', error?.code, paint.red)
}
