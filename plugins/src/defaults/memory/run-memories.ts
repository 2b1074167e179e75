import type { Inputs, MemoryRecord, RunContext } from '@svc/core'

interface Ended extends Pick<Inputs['inspect'], 'execution' | 'reflection' | 'consensus'> {
  /** The call of which the run did not get what it needed. */
  missing?: RunContext['view']['missingEffect']
}

const TASK_CHARACTERS = 400
const ANSWER_CHARACTERS = 600
const BLOCK = /<memory>[\s\S]*?(?:<\/memory>|$)/giu
/** A line as memories are quoted in prompts and by the tool `recall`. */
const QUOTED_LINE = /^[^\S\n]*- \[\d{4}-\d\d-\d\d, (?:user|model|tool|web), (?:un)?trusted\].*$/gimu

/** What a person asked, and how it ended: nothing that a model, a tool or a provider said. */
export const toTaskSummary = (task: string, ended: Ended): string => `${askedLine(task)}\nEnded: ${endOf(ended)}`

/** What was answered; undefined where the answer is no knowledge, or says nothing but what was recalled for it. */
export function toAnswerSummary(task: string, ended: Ended): string | undefined {
  const answer = shorten(withoutEchoes(ended.execution.output), ANSWER_CHARACTERS)
  return answer === '' || !isKnowledge(ended) ? undefined : `${askedLine(task)}\nAnswered: ${answer}`
}

/** Whether a record is of a run with this task. */
export const isSummaryOf = ({ kind, content }: Pick<MemoryRecord, 'kind' | 'content'>, task: string): boolean =>
  kind === 'summary' && content.startsWith(`${askedLine(task)}\n`)

/**
 * Whether an answer may be remembered: its run came to its end with all that it needed, the answer passed its checks,
 * nothing that it claims is without support, and the votes, where there were any, accepted it.
 */
function isKnowledge({ execution, reflection, consensus, missing }: Ended): boolean {
  if (execution.status !== 'completed' || missing !== undefined) return false
  if (consensus !== undefined && consensus.decision !== 'accept') return false
  if (reflection === undefined) return true
  const { verdict, claims = [] } = reflection
  return verdict === 'pass' && !isFalse(reflection) && claims.every((claim) => claim.verdict === 'supported')
}

const isFalse = (reflection: Ended['reflection']): boolean =>
  reflection?.checks.some(({ critical, result }) => critical && result === 'fail') === true

/** A text without what it repeats of the memories in its prompt. */
export const withoutEchoes = (text: string): string => text.replace(BLOCK, '').replace(QUOTED_LINE, '').trim()

const askedLine = (task: string): string => `Asked: ${shorten(task, TASK_CHARACTERS)}`

function endOf(ended: Ended): string {
  const { status, reason, error } = ended.execution
  if (status === 'completed') {
    const { denied } = ended.missing ?? {}
    if (denied !== undefined) return `incomplete (${denied.by === 'rule' ? 'policy_denied' : 'approval_denied'})`
    return isFalse(ended.reflection) ? 'incomplete (checks_failed)' : status
  }
  const why = error?.code ?? reason ?? ''
  return /^\w{1,40}$/u.test(why) ? `${status} (${why})` : status
}

function shorten(text: string, most: number): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`
}
