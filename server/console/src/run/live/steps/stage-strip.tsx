import type { Stage } from '@svc/core/client'
import { useState } from 'preact/hooks'
import { formatDuration, formatShort } from '../../../parts/format.ts'
import { Status } from '../../../parts/status.tsx'
import { STAGES, type StageState, type StageView } from '../../../state/stages.ts'
import { endOfTime, partOf, type ShownRun } from '../../shown-run.ts'
import { StagePanel } from './stage-panel.tsx'
import './stage-strip.css'

/** The question that each stage asks. */
const QUESTIONS: Readonly<Record<Stage, string>> = {
  analyze: 'How hard is it?',
  allocate: 'Who may spend what?',
  plan: 'Who does what?',
  execute: 'The work itself',
  reflect: 'Is it good enough?',
  consensus: 'Do others agree?',
  inspect: 'Did it go well?',
}

/** The seven stages of the run from left to right; each opens to what was asked and answered in it. */
export function StageStrip({ shown }: { shown: ShownRun }) {
  const { state } = shown
  const [open, setOpen] = useState<Stage | undefined>(undefined)
  const now = endOfTime(shown)
  const longest = Math.max(1, ...state.stages.all.map((view) => view.durationMs(now)))
  return (
    <section aria-label="Stages">
      <ol class="strip">
        {state.stages.all.flatMap((view, index) => {
          const isOpen = view.stage === open
          const id = `stage-${view.stage}`
          const stands = partOf(shown, view.state) as StageState
          const cell = (
            <li key={view.stage} class="stage-cell" data-status={stands} data-last={index === STAGES.length - 1}>
              <StageButton
                view={view}
                stands={stands}
                now={now}
                longest={longest}
                isOpen={isOpen}
                panelId={id}
                onClick={() => setOpen(isOpen ? undefined : view.stage)}
              />
            </li>
          )
          if (!isOpen) return [cell]
          return [
            cell,
            <li key="panel" class="stage-panel card" id={id}>
              <StagePanel shown={shown} view={view} question={QUESTIONS[view.stage]} now={now} />
            </li>,
          ]
        })}
      </ol>
    </section>
  )
}

const LABELS = {
  idle: 'to come',
  skipped: 'not asked',
  running: 'at work',
  waiting: 'waits',
  pending: 'left',
  completed: 'done',
  unanswered: 'no answer',
  failed: 'failed',
  cancelled: 'cut off',
} as const

interface StageButtonProps {
  view: StageView
  stands: StageState
  now: number
  longest: number
  isOpen: boolean
  panelId: string
  onClick: () => void
}

function StageButton({ view, stands, now, longest, isOpen, panelId, onClick }: StageButtonProps) {
  const { stage, rounds, newest, tokens } = view
  const durationMs = view.durationMs(now)
  return (
    <button
      type="button"
      class="stage"
      aria-expanded={isOpen}
      aria-controls={isOpen ? panelId : undefined}
      onClick={onClick}
    >
      <span class="stage-name">{stage}</span>
      <span class="stage-question">{QUESTIONS[stage]}</span>
      <span class="stage-facts number">
        <Status of={stands} label={LABELS[stands]} />
        {rounds.length > 0 && <span>{formatDuration(durationMs)}</span>}
        {tokens > 0 && <span>{formatShort(tokens)} tokens</span>}
        {rounds.length > 1 && <span class="rounds">{rounds.length} rounds</span>}
      </span>
      <span class="stage-plugin soft tiny clip">{newest?.plugin ? `by ${newest.plugin}` : '\u00a0'}</span>
      <span class="stage-time" aria-hidden="true">
        <span style={{ width: `${((durationMs / longest) * 100).toFixed(1)}%` }} />
      </span>
    </button>
  )
}
