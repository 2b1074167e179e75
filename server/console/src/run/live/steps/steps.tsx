import type { PlanStep, StepView } from '@svc/core/client'
import { Card } from '../../../parts/card.tsx'
import { ErrorText } from '../../../parts/error-note.tsx'
import { formatCount, formatDuration, oneLine, tokensOf } from '../../../parts/format.ts'
import { Markdown } from '../../../parts/markdown/markdown.tsx'
import { Status } from '../../../parts/status.tsx'
import { LongText } from '../../../parts/text.tsx'
import { endOfTime, partOf, type ShownRun } from '../../shown-run.ts'
import './steps.css'

/** The steps of the plan, and what became of each. */
export function Steps({ shown }: { shown: ShownRun }) {
  const { view } = shown.state
  const planned = view.plan?.steps ?? []
  // A new plan may leave out what an earlier one had done.
  const ids = new Set([...view.steps.keys(), ...planned.map(({ id }) => id)])
  if (ids.size === 0) return null
  const done = [...view.steps.values()].filter(({ status }) => status === 'completed').length
  return (
    <Card title="Steps" note={`${done} of ${ids.size} done`}>
      <ol class="steps">
        {[...ids].map((id) => (
          <Step
            key={id}
            id={id}
            shown={shown}
            planned={planned.find((step) => step.id === id)}
            step={view.steps.get(id)}
          />
        ))}
      </ol>
    </Card>
  )
}

interface StepProps {
  id: string
  shown: ShownRun
  planned: PlanStep | undefined
  step: StepView | undefined
}

function Step({ id, shown, planned, step }: StepProps) {
  const { view } = shown.state
  const agentId = step?.agentId ?? planned?.agentId ?? ''
  const tokens = tokensOf(view.usageOfStep(id))
  const objective = planned?.objective ?? step?.objective ?? ''
  const { status = 'pending', tries = 0, output = '', error } = step ?? {}
  return (
    <li>
      <details class="step">
        <summary>
          <Status of={partOf(shown, status, agentId)} />
          <strong class="mono">{id}</strong>
          <span class="step-text clip">{oneLine(objective, 160)}</span>
          <span class="soft small">{view.agents.get(agentId)?.name ?? agentId}</span>
          <span class="small number">{tries > 1 ? `${tries} tries` : ''}</span>
          <span class="small number">
            <Duration shown={shown} step={step} />
          </span>
          <span class="small number">{tokens > 0 ? `${formatCount(tokens)} tokens` : ''}</span>
        </summary>
        <div class="stack">
          <LongText text={objective} label={`Objective of ${id}`} tone="prose" />
          <ErrorText error={error} />
          {output === '' ? (
            <p class="soft">It has no output yet.</p>
          ) : (
            <div class="scroll step-output" role="region" tabIndex={0} aria-label={`Output of ${id}`}>
              <Markdown text={output} />
            </div>
          )}
        </div>
      </details>
    </li>
  )
}

function Duration({ shown, step }: { shown: ShownRun; step: StepView | undefined }) {
  if (step === undefined) return null
  return <>{formatDuration(Math.max(0, (step.endedAt ?? endOfTime(shown)) - step.startedAt))}</>
}
