import type { Allocation, Complexity, Plan } from '@svc/sdk/remote'
import { formatCount, oneLine } from '../../../parts/format.ts'
import { Bar } from '../bar.tsx'

const twoDigits = (value: number): string => value.toFixed(2)

/** How hard the task is, what that comes from, and which topologies were weighed. */
export function AnalysisAnswer({ value }: { value: Complexity }) {
  const { score, confidence, recommendedTopology, utilities, contributions, features, explanation, openQuestions } =
    value
  const parts = Object.entries(contributions)
    .filter(([, part]) => part !== 0)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
  const largest = Math.max(...parts.map(([, part]) => Math.abs(part)))
  const ranked = Object.entries(utilities).sort(([, a], [, b]) => b - a)
  const best = Math.max(...ranked.map(([, utility]) => Math.abs(utility)))
  return (
    <div class="stage-answer">
      <p>
        <span class="big">{twoDigits(score)}</span> of 1.00 hard; <strong>{recommendedTopology.toLowerCase()}</strong>{' '}
        is recommended, {Math.round(confidence * 100)} % sure.
      </p>
      <Sentences of={explanation} />
      {parts.length > 0 && (
        <>
          <h4>What makes it hard</h4>
          <ul class="gauges">
            {parts.map(([name, part]) => (
              <Bar
                key={name}
                label={name}
                value={Math.abs(part)}
                of={largest}
                text={`${part > 0 ? '+' : '−'}${twoDigits(Math.abs(part))} (feature ${twoDigits(features[name] ?? 0)})`}
              />
            ))}
          </ul>
        </>
      )}
      <h4>What each topology would be worth</h4>
      <ul class="gauges">
        {ranked.map(([name, utility]) => (
          <Bar
            key={name}
            label={name.toLowerCase()}
            value={utility}
            of={best}
            text={twoDigits(utility)}
            tone={name === recommendedTopology ? 'accent' : 'soft'}
          />
        ))}
      </ul>
      {openQuestions.length > 0 && (
        <>
          <h4>What the task leaves open</h4>
          <Sentences of={openQuestions} />
        </>
      )}
    </div>
  )
}

/** How the soft budget was split. */
export function AllocationAnswer({
  value: { total, shares, reserves, underfunded, explanation },
}: {
  value: Allocation
}) {
  const kept = Object.entries(reserves).filter(([, tokens]) => tokens > 0)
  const parts = [
    ...shares.map(({ agentId, tokens }, index) => ({ name: agentId, tokens, tone: `share-${index % 4}` })),
    ...kept.map(([name, tokens]) => ({ name, tokens, tone: 'reserve' })),
  ]
  return (
    <div class="stage-answer">
      <p>
        <span class="big">{formatCount(total)}</span> tokens,{' '}
        {formatCount(shares.reduce((sum, { tokens }) => sum + tokens, 0))} of them for{' '}
        {shares.length === 1 ? '1 agent' : `${shares.length} agents`}.
        {underfunded && <strong class="error-text"> Too little to give every agent its minimum.</strong>}
      </p>
      <div class="split" aria-hidden="true">
        {parts.map(({ name, tokens, tone }) => (
          <span key={name} class={tone} style={{ flexGrow: tokens }} title={`${name}: ${formatCount(tokens)}`} />
        ))}
      </div>
      <ul class="gauges">
        {shares.map(({ agentId, role, tokens }) => (
          <Bar key={agentId} label={`${agentId}, ${role}`} value={tokens} of={total} text={formatCount(tokens)} />
        ))}
        {kept.map(([name, tokens]) => (
          <Bar key={name} label={`kept: ${name}`} value={tokens} of={total} text={formatCount(tokens)} tone="soft" />
        ))}
      </ul>
      <Sentences of={explanation} />
    </div>
  )
}

/** Which steps there are, who does them, and what waits for what. */
export function PlanAnswer({ value: { topology, agents, steps, source, warnings, criticalPath } }: { value: Plan }) {
  const names = new Map(agents.map(({ agentId, name }) => [agentId, name]))
  return (
    <div class="stage-answer">
      <p>
        <span class="big">{steps.length}</span> {steps.length === 1 ? 'step' : 'steps'}, {topology.toLowerCase()},{' '}
        {SOURCES[source]}.
      </p>
      <ol class="plan-steps">
        {steps.map(({ id, agentId, role, objective, dependsOn, estimatedTokens, risk }) => (
          <li key={id}>
            <p>
              <strong class="mono">{id}</strong> {oneLine(objective)}
            </p>
            <p class="soft small">
              {names.get(agentId) ?? agentId}, {role}; about {formatCount(estimatedTokens)} tokens; may {risk}
              {dependsOn.length > 0 && `; after ${dependsOn.join(', ')}`}
              {criticalPath.includes(id) && steps.length > 1 && '; on the longest chain'}
            </p>
          </li>
        ))}
      </ol>
      <Sentences of={warnings} />
    </div>
  )
}

const SOURCES = {
  llm: 'planned by a model',
  'llm-repaired': 'planned by a model and repaired',
  deterministic: 'planned by rule',
  user: 'given with the task',
} as const

export function Sentences({ of }: { of: readonly string[] }) {
  if (of.length === 0) return null
  return (
    <ul class="sentences">
      {of.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}
