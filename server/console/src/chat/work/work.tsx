import { isTerminal } from '@svc/core/client'
import { useMemo, useState } from 'preact/hooks'
import { ErrorNote } from '../../parts/error-note.tsx'
import { formatCount, formatDuration, formatShort, plural, tokensOf } from '../../parts/format.ts'
import { RunStatus, Status } from '../../parts/status.tsx'
import { endOfTime, type ShownRun, stateOf } from '../../run/shown-run.ts'
import { waitOf } from '../../state/wait.ts'
import { Said } from '../steer/said.tsx'
import { Line } from './line.tsx'
import { type AgentWork, type HeardLine, heardIn, type WorkLine, workOf } from './lines.ts'

/** Of a long work, the newest lines are shown while it goes on. */
const MOST_LINES = 8

interface WorkProps {
  shown: ShownRun & { error: Parameters<typeof ErrorNote>[0]['error'] }
  /** Whether the run goes on: its lines are there from the start then. */
  isLive: boolean
}

/** What was done in a run, a line for each step; of a team, by agent. */
export function Work({ shown, isLive }: WorkProps) {
  const { state, error } = shown
  const { length: told } = state.events
  const work = useMemo(() => workOf(shown).filter(({ lines }) => lines.length > 0), [state, told, shown.isLeft])
  const heard = useMemo(() => heardIn(state), [state, told])
  const team = work.filter(({ agentId }) => state.view.agents.has(agentId))
  if (error !== undefined) return <ErrorNote error={error} />
  if (told === 0) return <p class="soft small">Loading…</p>
  return (
    <div class="chat-work">
      {isLive && <Head shown={shown} />}
      {team.length > 1 ? (
        <ul class="chat-lines">
          {inOrder([...work.map((one) => ({ ...one, key: one.lines[0]?.key ?? 0 })), ...heard]).map((one) =>
            'message' in one ? (
              <Heard key={one.message.id} line={one} />
            ) : (
              <Agent key={one.agentId} work={one} shown={shown} />
            ),
          )}
        </ul>
      ) : (
        <Lines
          lines={inOrder([...work.flatMap(({ lines }) => lines), ...heard])}
          shown={shown}
          most={isLive ? MOST_LINES : Number.POSITIVE_INFINITY}
        />
      )}
      {!isLive && (
        <p class="small chat-work-link">
          <a href={`/console/runs/${shown.id}`}>All of this run</a>
        </p>
      )}
    </div>
  )
}

/** How it stands, for how long, and what it took. */
function Head({ shown }: { shown: ShownRun }) {
  const { state } = shown
  const { usage, stage, status } = state.view
  const tokens = tokensOf(usage)
  const stands = stateOf(shown)
  const { text, isAtWork } = stands
  const label =
    status === 'waiting' && waitOf(shown.live)?.calls.length
      ? 'Waits for its client'
      : shown.isLeft
        ? undefined
        : WAITS[status]
  return (
    <p class="chat-work-head small soft">
      {!isTerminal(status) && (
        <RunStatus
          stands={stands}
          label={isAtWork && status === 'running' ? `${STAGES[stage ?? ''] ?? 'Working'}…` : (label ?? text)}
        />
      )}
      <span class="number">{formatDuration(endOfTime(shown) - state.startedAt)}</span>
      {tokens > 0 && (
        <span class="number" title={`${formatCount(tokens)} tokens`}>
          {formatShort(tokens)} tokens
        </span>
      )}
    </p>
  )
}

const WAITS: Readonly<Record<string, string>> = {
  queued: 'Waits for its turn',
  waiting: 'Waits for you',
  cancelling: 'Stopping…',
}

/** What a stage does, in a word. */
const STAGES: Readonly<Record<string, string>> = {
  analyze: 'Reading the task',
  allocate: 'Planning',
  plan: 'Planning',
  reflect: 'Checking the answer',
  consensus: 'Comparing answers',
  inspect: 'Checking the answer',
}

const inOrder = <T extends { key: number }>(lines: T[]): T[] => lines.sort((a, b) => a.key - b.key)

interface LinesProps {
  lines: readonly (WorkLine | HeardLine)[]
  shown: ShownRun
  most: number
}

function Lines({ lines, shown, most }: LinesProps) {
  const [isWhole, setWhole] = useState(false)
  const steps = lines.filter((line) => !('message' in line))
  const left = isWhole ? 0 : Math.max(0, steps.length - most)
  const shownSteps = new Set(steps.slice(left))
  return (
    <ul class="chat-lines">
      {left > 0 && (
        <li>
          <button type="button" class="plain small" onClick={() => setWhole(true)}>
            {plural(left, 'earlier step')}: show
          </button>
        </li>
      )}
      {lines.map((line) =>
        'message' in line ? (
          <Heard key={line.message.id} line={line} />
        ) : (
          shownSteps.has(line) && <Line key={line.key} line={line} shown={shown} />
        ),
      )}
    </ul>
  )
}

function Heard({ line: { message } }: { line: HeardLine }) {
  return (
    <li class="chat-heard">
      <Said message={message}>Read</Said>
    </li>
  )
}

/** What one agent of a team did: its newest line, opening to all of them. */
function Agent({ work: { agentId, name, status, lines }, shown }: { work: AgentWork; shown: ShownRun }) {
  const [isOpen, setOpen] = useState(false)
  const newest = lines.at(-1)
  const { usage } = shown.state.view.usageOfAgent(agentId)
  return (
    <li class="chat-line" data-status={status}>
      <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Status of={status} label="" />
        <strong class="chat-agent">{name}</strong>
        <span class="hidden-label">{status}</span>
        <span class="clip soft">{newest?.text}</span>
        <span class="tiny number soft chat-agent-tokens">{formatShort(tokensOf(usage))} tokens</span>
        <span class="chat-fold" aria-hidden="true">
          {isOpen ? '▾' : '▸'}
        </span>
      </button>
      {isOpen && <Lines lines={lines} shown={shown} most={Number.POSITIVE_INFINITY} />}
    </li>
  )
}
