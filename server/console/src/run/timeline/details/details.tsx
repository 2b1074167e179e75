import { useMemo } from 'preact/hooks'
import { Facts } from '../../../parts/facts.tsx'
import { formatClock, formatCount, formatDuration } from '../../../parts/format.ts'
import { Status } from '../../../parts/status.tsx'
import type { Span } from '../../../state/spans.ts'
import { type ShownRun, spanStatus } from '../../shown-run.ts'
import { KINDS, Kind } from '../kind.tsx'
import { eventsOfSpan } from '../span-events.ts'
import { ModelDetails } from './model-details.tsx'
import { StepDetails } from './step-details.tsx'
import { ToolDetails } from './tool-details.tsx'
import './details.css'

interface DetailsPanelProps {
  span: Span
  shown: ShownRun
  /** Called with the number of another span, or with nothing to close. */
  onChoose: (seq: number | undefined) => void
}

/** All that is known of the span that was chosen. */
export function Details({ span, shown, onChoose }: DetailsPanelProps) {
  const { state, past, id } = shown
  const events = useMemo(() => eventsOfSpan(span, state.events), [span, shown])
  const { all } = state.spans
  const index = all.indexOf(span)
  const agent = span.agentId === undefined ? undefined : state.view.agents.get(span.agentId)
  const { kind, label, startedAt, endedAt } = span
  const status = spanStatus(shown, span)
  const step = (name: string, sign: string, to: Span | undefined) => (
    <button type="button" class="plain" aria-label={name} disabled={to === undefined} onClick={() => onChoose(to?.seq)}>
      {sign}
    </button>
  )
  return (
    <section class="card details" aria-label={`Details: ${KINDS[kind].name} ${label}`}>
      <header>
        <h2 class="clip">
          <Kind of={kind} /> {label}
        </h2>
        <Status of={status} />
        <span class="details-steps spread">
          {step('Span before', '▴', all[index - 1])}
          {step('Next span', '▾', all[index + 1])}
        </span>
        <button type="button" class="plain" onClick={() => onChoose(undefined)} aria-label="Close the details">
          ✕
        </button>
      </header>
      <div class="body stack" key={span.seq}>
        <Facts
          of={[
            ['What', KINDS[kind].name],
            ['Agent', agent === undefined ? span.agentId : `${agent.name}${agent.role && `, ${agent.role}`}`],
            ['Step', kind !== 'step' && span.stepId],
            ['Began', `${formatClock(startedAt)}, ${formatDuration(startedAt - state.startedAt)} into the run`],
            [
              'Took',
              endedAt === undefined
                ? status === 'running'
                  ? 'goes on'
                  : 'has not ended'
                : formatDuration(endedAt - startedAt),
            ],
            ['Retries', span.retries > 0 && formatCount(span.retries)],
          ]}
        />
        {kind === 'model' && <ModelDetails span={span} events={events} shown={shown} />}
        {(kind === 'tool' || kind === 'wait') && <ToolDetails span={span} events={events} shown={shown} />}
        {kind === 'step' && <StepDetails span={span} events={events} shown={shown} />}
        {kind === 'stage' && (
          <p>
            What the stage was asked and answered stands in the <a href={`/console/runs/${id}`}>live view</a>.
          </p>
        )}
        <p class="row small">
          <span class="soft">
            Events {formatCount(span.seq)}
            {span.endSeq !== undefined && ` to ${formatCount(span.endSeq)}`}
          </span>
          <button type="button" onClick={() => (past.value = span.seq)}>
            Go to when it began
          </button>
        </p>
      </div>
    </section>
  )
}
