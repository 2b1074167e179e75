import type { Allocation, Complexity, Plan } from '@svc/sdk/remote'
import { formatCount, oneLine, percent, plural } from '../../../parts/format.ts'
import { colourOfAgent } from '../colour-of-agent.ts'
import { Sentences } from '../findings.tsx'
import { Gauges } from '../gauges.tsx'

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
    <>
      <p>
        <span class="big">{twoDigits(score)}</span> of 1.00 hard; <strong>{recommendedTopology.toLowerCase()}</strong>{' '}
        is recommended, {percent(confidence)} sure.
      </p>
      <Sentences of={explanation} />
      {parts.length > 0 && <h4>What makes it hard</h4>}
      <Gauges
        gauges={parts.map(([label, part]) => ({
          label,
          value: Math.abs(part),
          of: largest,
          text: `${part > 0 ? '+' : '−'}${twoDigits(Math.abs(part))} (feature ${twoDigits(features[label] ?? 0)})`,
        }))}
      />
      <h4>What each topology would be worth</h4>
      <Gauges
        gauges={ranked.map(([name, utility]) => ({
          label: name.toLowerCase(),
          value: utility,
          of: best,
          text: twoDigits(utility),
          tone: name === recommendedTopology ? 'accent' : 'soft',
        }))}
      />
      {openQuestions.length > 0 && <h4>What the task leaves open</h4>}
      <Sentences of={openQuestions} />
    </>
  )
}

/** How the soft budget was split. */
export function AllocationAnswer({ value }: { value: Allocation }) {
  const { total, shares, reserves, underfunded, explanation } = value
  const kept = Object.entries(reserves).filter(([, tokens]) => tokens > 0)
  const parts = [
    ...shares.map(({ agentId, role, tokens }) => ({ label: `${agentId}, ${role}`, tokens, isShare: true })),
    ...kept.map(([name, tokens]) => ({ label: `kept: ${name}`, tokens, isShare: false })),
  ]
  return (
    <>
      <p>
        <span class="big">{formatCount(total)}</span> tokens,{' '}
        {formatCount(shares.reduce((sum, { tokens }) => sum + tokens, 0))} of them for {plural(shares.length, 'agent')}.
        {underfunded && <strong class="error-text"> Too little to give every agent its minimum.</strong>}
      </p>
      <div class="split" aria-hidden="true">
        {parts.map(({ label, tokens, isShare }, index) => (
          <span
            key={label}
            style={{ flexGrow: tokens, background: isShare ? colourOfAgent(index) : '' }}
            title={`${label}: ${formatCount(tokens)}`}
          />
        ))}
      </div>
      <Gauges
        gauges={parts.map(({ label, tokens, isShare }) => ({
          label,
          value: tokens,
          of: total,
          text: formatCount(tokens),
          tone: isShare ? 'accent' : 'soft',
        }))}
      />
      <Sentences of={explanation} />
    </>
  )
}

/** Which steps there are, who does them, and what waits for what. */
export function PlanAnswer({ value: { topology, agents, steps, source, warnings, criticalPath } }: { value: Plan }) {
  const names = new Map(agents.map(({ agentId, name }) => [agentId, name]))
  return (
    <>
      <p>
        <span class="big">{steps.length}</span> {steps.length === 1 ? 'step' : 'steps'}, {topology.toLowerCase()},{' '}
        {SOURCES[source]}.
      </p>
      <ol class="stack tight">
        {steps.map(({ id, agentId, role, objective, dependsOn, estimatedTokens, risk }) => (
          <li key={id} class="quote">
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
    </>
  )
}

const SOURCES = {
  llm: 'planned by a model',
  'llm-repaired': 'planned by a model and repaired',
  deterministic: 'planned by rule',
  user: 'given with the task',
} as const
