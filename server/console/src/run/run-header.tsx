import { useMemo, useState } from 'preact/hooks'
import { ApprovalCard } from '../approvals/approval-card.tsx'
import { Card } from '../parts/card.tsx'
import { formatCost, formatCount, formatDuration, shortId, tokensOf } from '../parts/format.ts'
import { RunLink } from '../parts/run-link.tsx'
import { Stat } from '../parts/stat.tsx'
import { RunStatus } from '../parts/status.tsx'
import { allOf, newest } from '../state/events.ts'
import { resultOf } from '../state/outcome.ts'
import { type Wait, waitOf } from '../state/wait.ts'
import { Actions } from './head/actions.tsx'
import { ClientCalls } from './head/client-calls.tsx'
import { InputForm } from './head/input-form.tsx'
import { Outcome } from './head/outcome.tsx'
import { endOfTime, type ShownRun, stateOf } from './shown-run.ts'
import './run-header.css'

/** Longer tasks are folded. */
const MOST_TASK = 240

interface HeaderProps {
  shown: ShownRun
  /** The run that it goes on from. */
  parentRunId: string | undefined
  /** The conversation that it belongs to. */
  threadId: string | undefined
  /** Without what the run came to. */
  isBrief: boolean
}

/** What the run is for, where it stands, what it came to, and what one can do about it. */
export function RunHeader({ shown, parentRunId, threadId, isBrief }: HeaderProps) {
  const { id, live, state, isLeft, elsewhere } = shown
  const told = state.events.length
  const newest = live.events.length
  return useMemo(
    () => <Head shown={shown} parentRunId={parentRunId} threadId={threadId} isBrief={isBrief} />,
    [id, live, state, isLeft, elsewhere, told, newest, parentRunId, threadId, isBrief],
  )
}

function Head({ shown, parentRunId, threadId, isBrief }: HeaderProps) {
  const { id, live, state, elsewhere } = shown
  const isOurs = elsewhere === undefined
  const { view, created } = state
  const wait = waitOf(live)
  const result = resultOf(state)
  const { usage } = view
  const { length: recoveries } = allOf(state.events, 'run.recovered')
  const tags = created?.data.options.tags ?? []
  const mode = created?.data.mode
  return (
    <>
      <header class="stack tight run-header">
        <div class="row">
          {created !== undefined && <RunStatus stands={stateOf(shown)} />}
          <span class="soft small mono" title={id}>
            {shortId(id)}
          </span>
          {parentRunId !== undefined && (
            <span class="small">
              <RunLink id={parentRunId} before="from " />
            </span>
          )}
          {threadId !== undefined && isOurs && (
            <a class="small" href={`/console/chat/${encodeURIComponent(threadId)}`}>
              in a conversation
            </a>
          )}
          {recoveries > 0 && (
            <span class="pill" data-status="incomplete" title="The server stopped and another took over.">
              recovered {recoveries === 1 ? 'once' : `${recoveries} times`}
            </span>
          )}
          {tags.map((tag) => (
            <span key={tag} class="pill clip">
              {tag}
            </span>
          ))}
        </div>
        <Task text={created?.data.task ?? 'Run'} />
        <div class="run-line">
          <dl class="stats">
            <Stat name="Elapsed">
              <Elapsed shown={shown} />
            </Stat>
            <Stat
              name="Tokens"
              title={`${formatCount(usage.inputTokens)} in (${formatCount(usage.cachedTokens ?? 0)} cached), ${formatCount(usage.outputTokens)} out`}
            >
              {formatCount(tokensOf(usage))}
            </Stat>
            <Stat name="Cost">{view.costUsd === null ? 'not priced' : formatCost(view.costUsd)}</Stat>
            <Stat name="Model calls">{formatCount(usage.modelCalls)}</Stat>
            <Stat name="Topology">{view.topology?.toLowerCase() ?? 'not chosen yet'}</Stat>
            {mode !== undefined && mode !== 'execute' && <Stat name="Mode">{mode} only</Stat>}
            {created?.data.options.readOnly === true && <Stat name="Tools">reading only</Stat>}
          </dl>
          <Actions shown={shown} parentRunId={parentRunId} />
        </div>
      </header>
      {wait !== undefined && (
        <Card class="wait-panel" title={titleOfWait(wait, isOurs)}>
          <div class="body stack">
            {wait.approvals.map((approval) => (
              <ApprovalCard key={approval.id} approval={approval} onResolved={isOurs ? () => undefined : undefined} />
            ))}
            {wait.input !== undefined &&
              (isOurs ? (
                <InputForm key={wait.input.prompt} id={id} input={wait.input} />
              ) : (
                <p class="prompt">{wait.input.prompt}</p>
              ))}
            <ClientCalls calls={wait.calls} />
          </div>
        </Card>
      )}
      {result !== undefined && !isBrief && (
        <Outcome
          runId={id}
          result={result}
          stands={stateOf(shown)}
          reflection={newest(state.events, 'reflection.completed')?.data}
          isOurs={isOurs}
        />
      )}
    </>
  )
}

const titleOfWait = ({ approvals, input }: Wait, isOurs: boolean): string =>
  approvals.length === 0 && input === undefined
    ? 'It waits for its client'
    : isOurs
      ? 'It waits for you'
      : 'It waits for a person'

function Task({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const isLong = text.length > MOST_TASK
  return (
    <div class="task">
      <h1>{isLong && !isWhole ? `${text.slice(0, MOST_TASK).trimEnd()}…` : text}</h1>
      {isLong && (
        <button type="button" class="plain small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show the whole task'}
        </button>
      )}
    </div>
  )
}

function Elapsed({ shown }: { shown: ShownRun }) {
  const { events, startedAt } = shown.state
  return <>{events.length > 0 ? formatDuration(endOfTime(shown) - startedAt) : '–'}</>
}
