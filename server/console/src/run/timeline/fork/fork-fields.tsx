import type { ToolCallView } from '@svc/core/client'
import { Options } from '../../../parts/choice.tsx'
import { Field } from '../../../parts/field.tsx'
import { ModelInput } from '../../../parts/model-input.tsx'
import { TOPOLOGY_CHOICES } from '../../../runs/new-run/draft.ts'
import type { Chosen, ForkDraft } from './fork-edits.ts'

interface FieldsProps {
  draft: ForkDraft
  chosen: ReadonlySet<Chosen>
  /** Calls that may have another result. */
  calls: readonly ToolCallView[]
  problemOf: (name: keyof ForkDraft, path: string) => string | undefined
  onEnter: (changes: Partial<ForkDraft>) => void
}

const LIMITS = [
  ['tokenBudget', 'Token budget', 'Soft: beyond it no new step begins', '/edits/tokenBudget'],
  ['maxTokens', 'Most tokens', 'Hard: beyond it no new call', '/edits/budget/maxTokens'],
  ['maxCostUsd', 'Most it may cost, $', 'Hard: needs a model with a price', '/edits/budget/maxCostUsd'],
  ['maxSteps', 'Most model calls', 'Hard', '/edits/budget/maxSteps'],
] as const

/** The fields of what was chosen to be changed, with what stands there now. Called at once: what it says of faults counts. */
export function forkFields({ draft, chosen, calls, problemOf, onEnter }: FieldsProps) {
  const area = (name: 'task' | 'prompt' | 'instructions' | 'plan', label: string, rows: number, isCode = false) => (
    <Field key={name} label={label} problem={problemOf(name, `/edits/${name}`)}>
      {(props) => (
        <textarea
          {...props}
          rows={rows}
          class={isCode ? 'mono' : undefined}
          value={draft[name]}
          onInput={({ currentTarget }) => onEnter({ [name]: currentTarget.value })}
        />
      )}
    </Field>
  )
  const call = calls.find(({ callId }) => callId === draft.callId)
  return (
    <>
      {chosen.has('task') && area('task', 'Task', 3)}
      {chosen.has('prompt') && area('prompt', 'Context that comes with the task', 3)}
      {chosen.has('instructions') && area('instructions', 'Instructions for each agent', 3)}
      {chosen.has('model') && (
        <Field label="Model" hint="Of agents that have none of their own" problem={problemOf('model', '/edits/model')}>
          {(props) => (
            <ModelInput
              {...props}
              value={draft.model}
              onInput={({ currentTarget }) => onEnter({ model: currentTarget.value })}
            />
          )}
        </Field>
      )}
      {chosen.has('topology') && (
        <Field label="Topology" problem={problemOf('topology', '/edits/topology')}>
          {(props) => (
            <select
              {...props}
              value={draft.topology}
              onChange={({ currentTarget }) => onEnter({ topology: currentTarget.value })}
            >
              <Options of={TOPOLOGY_CHOICES} />
            </select>
          )}
        </Field>
      )}
      {chosen.has('budget') && (
        <div class="limits">
          {LIMITS.map(([name, label, hint, path]) => (
            <Field key={name} label={label} hint={hint} problem={problemOf(name, path)}>
              {(props) => (
                <input
                  {...props}
                  inputMode="decimal"
                  autocomplete="off"
                  value={draft[name]}
                  placeholder="as before"
                  onInput={({ currentTarget }) => onEnter({ [name]: currentTarget.value })}
                />
              )}
            </Field>
          ))}
        </div>
      )}
      {chosen.has('plan') && area('plan', 'Plan, as JSON', 10, true)}
      {chosen.has('toolResults') && (
        <Field label="Another result of a tool call" problem={problemOf('callId', '/edits/toolResults')}>
          {(props) => (
            <select
              {...props}
              value={draft.callId}
              onChange={({ currentTarget: { value } }) =>
                onEnter({ callId: value, result: calls.find(({ callId }) => callId === value)?.result ?? '' })
              }
            >
              <Options
                of={[
                  ['', 'choose a call'],
                  ...calls.map(
                    ({ callId, tool, agentId, seq }) => [callId, `${tool}, ${agentId}, event ${seq}`] as const,
                  ),
                ]}
              />
            </select>
          )}
        </Field>
      )}
      {chosen.has('toolResults') && call !== undefined && (
        <Field label={`Result of ${call.tool}`}>
          {(props) => (
            <textarea
              {...props}
              class="mono"
              rows={6}
              value={draft.result}
              onInput={({ currentTarget }) => onEnter({ result: currentTarget.value })}
            />
          )}
        </Field>
      )}
    </>
  )
}
