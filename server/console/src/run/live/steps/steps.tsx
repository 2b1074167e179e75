import type { PlanStep, StepView } from '@svc/core/client'
import { isTerminal } from '@svc/core/client'
import { formatCount, formatDuration, oneLine } from '../../../parts/format.ts'
import { Status } from '../../../parts/status.tsx'
import { LongText } from '../../../parts/text.tsx'
import type { ShownRun } from '../../shown-run.ts'
import { useNow } from '../../timeline/use-now.ts'
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
    <section class="card" aria-labelledby="steps-title">
      <header>
        <h2 id="steps-title">Steps</h2>
        <span class="soft">
          {done} of {ids.size} done
        </span>
      </header>
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
    </section>
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
  const { inputTokens, outputTokens } = view.usageOfStep(id)
  const objective = planned?.objective ?? step?.objective ?? ''
  const { status = 'pending', tries = 0, output = '', error } = step ?? {}
  return (
    <li>
      <details class="step">
        <summary>
          <Status of={status} />
          <strong class="mono">{id}</strong>
          <span class="step-text clip">{oneLine(objective, 160)}</span>
          <span class="soft small">{view.agents.get(agentId)?.name ?? agentId}</span>
          <span class="small number">{tries > 1 ? `${tries} tries` : ''}</span>
          <span class="small number">
            <Duration shown={shown} step={step} />
          </span>
          <span class="small number">
            {inputTokens + outputTokens > 0 ? `${formatCount(inputTokens + outputTokens)} tokens` : ''}
          </span>
        </summary>
        <div class="stack">
          <LongText text={objective} label={`Objective of ${id}`} tone="prose" />
          {error !== undefined && (
            <p class="error-text">
              {error.message} <span class="tiny mono">{error.code}</span>
            </p>
          )}
          {output === '' ? (
            <p class="soft">It has no output yet.</p>
          ) : (
            <LongText text={output} label={`Output of ${id}`} tone="prose" />
          )}
        </div>
      </details>
    </li>
  )
}

function Duration({ shown: { state, past }, step }: { shown: ShownRun; step: StepView | undefined }) {
  const isTicking = past.value === undefined && step?.status === 'running' && !isTerminal(state.view.status)
  const now = useNow(isTicking, state.newestAt)
  return <>{step === undefined ? '' : formatDuration(Math.max(0, (step.endedAt ?? now) - step.startedAt))}</>
}
