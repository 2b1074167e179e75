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
export function RunHeader(props: HeaderProps) {
  const { shown, parentRunId, threadId, isBrief } = props
  const { id, live, state, isLeft, elsewhere } = shown
  return useMemo(
    () => <Head {...props} />,
    [id, live, state, isLeft, elsewhere, state.events.length, live.events.length, parentRunId, threadId, isBrief],
  )
}

function Head({ shown, parentRunId, threadId, isBrief }: HeaderProps) {
  const { id, live, state, elsewhere } = shown
  const isOurs = elsewhere === undefined
  const wait = waitOf(live)
  const result = resultOf(state)
  return (
    <>
      <header class="stack tight run-header">
        <Marks shown={shown} parentRunId={parentRunId} threadId={isOurs ? threadId : undefined} />
        <Task text={state.created?.data.task ?? 'Run'} />
        <div class="run-line">
          <Figures shown={shown} />
          <Actions shown={shown} parentRunId={parentRunId} />
        </div>
      </header>
      {wait !== undefined && <WaitPanel id={id} wait={wait} isOurs={isOurs} />}
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

/** How the run stands, which one it is, and where it comes from. */
function Marks({ shown, parentRunId, threadId }: Omit<HeaderProps, 'isBrief'>) {
  const { id, state } = shown
  const { length: recoveries } = allOf(state.events, 'run.recovered')
  return (
    <div class="row">
      {state.created !== undefined && <RunStatus stands={stateOf(shown)} />}
      <span class="soft small mono" title={id}>
        {shortId(id)}
      </span>
      {parentRunId !== undefined && (
        <span class="small">
          <RunLink id={parentRunId} before="from " />
        </span>
      )}
      {threadId !== undefined && (
        <a class="small" href={`/console/chat/${encodeURIComponent(threadId)}`}>
          in a conversation
        </a>
      )}
      {recoveries > 0 && (
        <span class="pill" data-status="incomplete" title="The server stopped and another took over.">
          recovered {recoveries === 1 ? 'once' : `${recoveries} times`}
        </span>
      )}
      {state.created?.data.options.tags?.map((tag) => (
        <span key={tag} class="pill clip">
          {tag}
        </span>
      ))}
    </div>
  )
}

function Figures({ shown }: { shown: ShownRun }) {
  const { view, created } = shown.state
  const { usage } = view
  const mode = created?.data.mode
  return (
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
  )
}

/** What the run waits for, to be answered where this server works for its folder. */
function WaitPanel({ id, wait, isOurs }: { id: string; wait: Wait; isOurs: boolean }) {
  return (
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
