import type { Inputs, MemoryHit, MemoryInput, MemoryRecord, RunContext } from '@svc/core'
import { recalledTag } from '@svc/core/components'
import { excerpt } from '@svc/core/text'

type Ended = Inputs['inspect']

const TASK_CHARACTERS = 400
const ANSWER_CHARACTERS = 600
const BLOCK = /<memory>[\s\S]*?(?:<\/memory>|$)/giu
/** A line as memories are quoted in prompts and by the tool `recall`. */
const QUOTED_LINE = /^[^\S\n]*- \[\d{4}-\d\d-\d\d, (?:user|model|tool|web), (?:un)?trusted[^\]\n]*\].*$/gimu

/**
 * The one memory of a run: what a person asked, and what was answered, or how it ended where the answer is not to be kept. How it
 * ended and what its answer is worth stand beside it. What a person alone said is trusted.
 */
export function toRunMemory(ended: Ended, run: RunContext): MemoryInput {
  const { task, outcome, execution } = ended
  const answer = excerpt(withoutEchoes(execution.output), ANSWER_CHARACTERS)
  const isAnswered = answer !== '' && mayBeKept(ended)
  const { status, reason } = outcome
  const end = reason !== undefined && /^\w{1,40}$/u.test(reason) ? `${status} (${reason})` : status
  return {
    kind: 'summary',
    content: `${askedLine(task.description)}\n${isAnswered ? `Answered: ${answer}` : `Ended: ${end}`}`,
    tags: [
      ...new Set([
        'run',
        status,
        ...(run.options.tags ?? []),
        ...(isAnswered ? run.recalled.map(({ id }) => recalledTag(id)) : []),
      ]),
    ],
    ...(run.threadId === undefined ? {} : { threadId: run.threadId }),
    source: isAnswered
      ? { runId: run.id, origin: 'model', untainted: !run.isTainted }
      : { runId: run.id, origin: 'user' },
    outcome,
  }
}

/**
 * Whether an answer may be kept at all: its run came to its end, nothing speaks against the answer, and the votes, where there
 * were any, accepted it. Whether it is known is another question: see `isKnown`.
 */
function mayBeKept({ outcome, reflection, consensus }: Ended): boolean {
  if (outcome.status !== 'completed' || outcome.verdict === 'fail') return false
  if (consensus !== undefined && consensus.decision !== 'accept') return false
  if (reflection === undefined) return true
  return reflection.verdict === 'pass' && (reflection.claims ?? []).every(({ verdict }) => verdict !== 'contradicted')
}

/** Whether a record is of a run with this task. */
export const isSummaryOf = ({ kind, content }: Pick<MemoryRecord, 'kind' | 'content'>, task: string): boolean =>
  kind === 'summary' && content.startsWith(`${askedLine(task)}\n`)

/**
 * What a person said in a run that came to its end, without what was answered; undefined for a question, which says nothing, and
 * for a run whose answer is false.
 */
export function saidIn(hit: MemoryHit): MemoryHit | undefined {
  const { kind, content, source, outcome } = hit
  if (kind !== 'summary' || outcome?.status !== 'completed' || outcome.verdict === 'fail') return undefined
  const [asked = ''] = content.split('\n')
  if (!asked.startsWith(ASKED) || isQuestion(asked)) return undefined
  const { untainted: _, ...said } = source
  return { ...hit, content: asked, source: { ...said, origin: 'user' }, trust: 'trusted' }
}

/** Whether what a run answered may be recalled unasked as known: it came to its end, and its answer was checked and is right. */
export const isKnown = ({ source, outcome }: Pick<MemoryRecord, 'source' | 'outcome'>): boolean =>
  source.origin === 'model' && outcome?.status === 'completed' && outcome.verdict === 'pass'

/** Whether a task asks something, in any language that ends its questions with a question mark. */
export const isQuestion = (task: string): boolean => /[?？؟]$/u.test(task.trimEnd())

/** A text without what it repeats of the memories in its prompt. */
export const withoutEchoes = (text: string): string => text.replace(BLOCK, '').replace(QUOTED_LINE, '').trim()

const ASKED = 'Asked: '
const askedLine = (task: string): string => `${ASKED}${excerpt(task, TASK_CHARACTERS)}`
