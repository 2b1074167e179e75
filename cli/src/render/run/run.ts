import type { Complexity, ExecutionResult, Mode, PlanResult, Run, RunResult } from '@svc/core'
import { shownPartOf, shownStateOf } from '@svc/core/client'
import { howToAnswer } from '../../ask/ask-input.ts'
import type { CommandContext } from '../../frame/context.ts'
import { renderComplexity } from '../complexity.ts'
import { count } from '../one-line.ts'
import { renderTable } from '../table.ts'
import { toAge, toDuration, toLocalTime } from '../time.ts'
import { fit, fitEnd } from '../width.ts'
import { renderPlan } from './plan.ts'

const FOLDER_WIDTH = 15
const MOST_TASK_CHARS = 2_000

/**
 * Runs as a table.
 *
 * @param here the project's folder: of runs of others the end of theirs is shown; undefined: of none
 */
export function renderRuns(runs: readonly Run[], here: string | undefined, columns: number, now = Date.now()): string {
  const whereOf = ({ space = here }: Run): string =>
    space === undefined || here === undefined || space === here
      ? ''
      : fitEnd(space, columns === Number.POSITIVE_INFINITY ? columns : FOLDER_WIDTH)
  const isMixed = runs.some((run) => whereOf(run) !== '')
  const verdicts = runs.map((run) => shownStateOf(run).verdict)
  const isFound = runs.some(({ found }) => found !== undefined)
  const isJudged = verdicts.some((verdict) => verdict !== undefined)
  return renderTable(
    [
      'id',
      'status',
      ...(isJudged ? ['verdict'] : []),
      'asked',
      'tokens',
      ...(isMixed ? ['folder'] : []),
      'task',
      ...(isFound ? ['found in the answer'] : []),
    ],
    runs.map((run, index) => [
      run.id,
      run.left ? shownStateOf(run).text : run.status,
      ...(isJudged ? [verdicts[index] ?? ''] : []),
      toAge(run.createdAt, now),
      toCount(run.usage.inputTokens + run.usage.outputTokens),
      ...(isMixed ? [whereOf(run)] : []),
      run.mode === 'execute' ? run.task : `(${run.mode}) ${run.task}`,
      ...(isFound ? [run.found?.text ?? ''] : []),
    ]),
    columns,
    { cuts: true, free: ['folder', ...(isFound ? ['task'] : [])] },
  )
}

/** `12,300 tokens, 9,800 of them cached`. */
export function describeTokens({ inputTokens, outputTokens, cachedTokens = 0 }: Run['usage']): string {
  const cached = cachedTokens === 0 ? '' : `, ${toCount(cachedTokens)} of them cached`
  return `${toCount(inputTokens + outputTokens)} tokens${cached}`
}

/** What is known of one run, without its answer, for so many columns. */
export function renderRun(
  run: Run,
  { columns, commandOf }: { columns: number } & Pick<CommandContext, 'commandOf'>,
  now = Date.now(),
): string {
  const { startedAt, finishedAt, usage, costUsd, error, waiting, mode, readOnly } = run
  const took =
    startedAt === undefined || finishedAt === undefined
      ? ''
      : `, took ${toDuration(Date.parse(finishedAt) - Date.parse(startedAt))}`
  const cost = costUsd === null || costUsd === 0 ? '' : `, $${costUsd.toFixed(4)}`
  const facts: [string, string | undefined][] = [
    ['run', `${run.id}, ${shownStateOf(run).text}`],
    ['task', run.task.length > MOST_TASK_CHARS ? `${run.task.slice(0, MOST_TASK_CHARS)}…` : run.task],
    ['said to it', run.messages?.map(({ text }) => text).join('\n')],
    ['not read', run.unread?.map(({ text }) => text).join('\n')],
    ['mode', readOnly ? `${mode}, reading only` : mode === 'execute' ? undefined : mode],
    ['asked', `${toLocalTime(run.createdAt)}, ${toAge(run.createdAt, now)}${took}`],
    ['folder', run.space],
    ['thread', run.threadId],
    ['goes on from', run.parentRunId],
    [
      'recovered',
      run.recoveries === 0
        ? undefined
        : `${run.recoveries} ${run.recoveries === 1 ? 'time' : 'times'} without getting on`,
    ],
    ['agents', run.agents.map(({ id, name, status }) => `${id} ${name}: ${shownPartOf(status, run)}`).join('\n')],
    ['used', `${count(usage.modelCalls, 'model call')}, ${describeTokens(usage)}${cost}`],
    ['events', String(run.lastSeq)],
    ['tags', run.tags?.join(', ')],
    ...(waiting?.approvals ?? []).map(({ id, agentId, tool, args }): [string, string] => [
      'waits for',
      fit(`${id}: ${agentId} wants to use ${tool} ${JSON.stringify(args) ?? ''}`, columns - 14),
    ]),
    ...(waiting?.calls ?? []).map(({ id, agentId, tool, args }): [string, string] => [
      'waits for',
      fit(`${id}: ${agentId} has its client call ${tool} ${JSON.stringify(args) ?? ''}`, columns - 14),
    ]),
    ['waits for', waiting?.input?.prompt],
    ['answer with', waiting?.input === undefined ? undefined : howToAnswer(run.id, waiting.input, commandOf)],
    // Why an answer is incomplete is said below it.
    ['error', error === undefined || run.status === 'incomplete' ? undefined : `${error.message} [${error.code}]`],
  ]
  return facts.flatMap(([name, text = '']) => (text === '' ? [] : [row(name, text)])).join('\n')
}

/** What a run returned, as a person reads it. */
export function renderRunResult(mode: Mode, result: RunResult): string {
  if (mode === 'plan' && 'budget' in result) return renderPlan(result as PlanResult)
  return 'contributions' in result ? renderComplexity(result as Complexity) : renderResult(result as ExecutionResult)
}

const row = (name: string, text: string): string => `${name.padEnd(14)}${text.split('\n').join(`\n${' '.repeat(14)}`)}`

/** `950`, `12.3k`, `1.2M`. */
export function toCount(n: number): string {
  if (n < 10_000) return String(n)
  return n < 1_000_000 ? `${(n / 1000).toFixed(1)}k` : `${(n / 1_000_000).toFixed(1)}M`
}

/**
 * The answer as text: structured output where it was asked for, else the summary; nothing where it says no more than the
 * error, which is said elsewhere.
 */
function renderResult({ output, summary, status, error }: ExecutionResult): string {
  if (status === 'failed' && error !== undefined && summary === `No step was finished: ${error.message}.`) return ''
  return output === undefined ? summary : JSON.stringify(output, null, 2)
}
