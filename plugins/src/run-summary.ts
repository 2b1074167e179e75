import type { Execution, MemoryRecord } from '@svc/core'

const TASK_CHARACTERS = 400
const ANSWER_CHARACTERS = 600

/** What is remembered of a run: what was asked, in the first line, and how it ended. */
export const toSummary = (task: string, execution: Execution): string => `${askedLine(task)}\n${outcomeOf(execution)}`

/** Whether a record is the summary of a run with this task. */
export const isSummaryOf = ({ kind, content }: Pick<MemoryRecord, 'kind' | 'content'>, task: string): boolean =>
  kind === 'summary' && content.startsWith(`${askedLine(task)}\n`)

const askedLine = (task: string): string => `Asked: ${shorten(task, TASK_CHARACTERS)}`

function outcomeOf({ status, output, reason, error }: Execution): string {
  const answer = shorten(output, ANSWER_CHARACTERS)
  if (status === 'completed') return `Answered: ${answer}`
  const why = error?.message ?? reason ?? 'no reason given'
  return `Ended ${status} (${shorten(why, TASK_CHARACTERS)})${answer === '' ? '' : `, having found: ${answer}`}`
}

function shorten(text: string, most: number): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`
}
