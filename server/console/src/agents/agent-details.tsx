import type { AgentProfile } from '@svc/sdk/remote'
import { useLocation } from 'preact-iso'
import { Card } from '../parts/card.tsx'
import { ActionDialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { formatDate } from '../parts/format.ts'
import { LongText } from '../parts/text.tsx'
import { EMPTY_DRAFT } from '../runs/new-run/draft.ts'
import { enter, hasOptions } from '../runs/new-run/new-run-state.ts'
import { Deciding } from '../session/deciding.tsx'
import { runtime } from '../session/session.ts'
import { AgentRuns } from './agent-runs.tsx'

interface DetailsProps {
  agent: AgentProfile
  onEdit: () => void
  onDeleted: () => void
}

/** One profile: what it is, what may be done with it, and the runs that used it. */
export function AgentDetails({ agent, onEdit, onDeleted }: DetailsProps) {
  const { route } = useLocation()
  const { id, name, description = '', instructions, memory, budget } = agent
  const limits = [
    budget.maxTokens !== undefined && `${budget.maxTokens} tokens`,
    budget.maxSteps !== undefined && `${budget.maxSteps} model calls a step`,
  ].filter(Boolean)
  return (
    <div class="stack agent-details">
      <header class="stack tight">
        <h2>{name}</h2>
        {description !== '' && <p>{description}</p>}
        <div class="row">
          <button
            type="button"
            class="primary"
            onClick={() => {
              enter({ ...EMPTY_DRAFT, agents: id })
              hasOptions.value = true
              route('/console/runs')
            }}
          >
            Use in a run
          </button>
          <Deciding scope="admin">
            <button type="button" onClick={onEdit}>
              Change
            </button>
            <ActionDialog
              label="Delete"
              title={`Delete the agent ${name}?`}
              doLabel="Delete for good"
              isDangerous
              onDo={async () => {
                await runtime.value.agents.delete(id)
                onDeleted()
              }}
            >
              <p>Later runs cannot use it. Runs that used it stay as they are.</p>
            </ActionDialog>
          </Deciding>
        </div>
      </header>
      <Card title="Profile">
        <div class="body stack">
          <Facts
            of={[
              ['Id', <code key="id">{id}</code>],
              ['Role', agent.role],
              ['Model', agent.model ?? 'the model of the run'],
              ['When it fails', agent.fallbackModels.join(', ')],
              ['Tools', toolsInWords(agent)],
              [
                'Tool rules',
                Object.entries(agent.toolPolicy ?? {})
                  .map(([tool, rule]) => `${tool}: ${rule}`)
                  .join(', '),
              ],
              ['Memory', `${memory.layers.join(', ') || 'none'}; of ${SCOPES[memory.scope]}`],
              ['Limits', limits.join(', ')],
              ['Temperature', agent.temperature],
              ['Good at', agent.capabilities.join(', ')],
              ['Hands work to', agent.handoffs.join(', ')],
              ['Tags', agent.tags.join(', ')],
              ['Source', agent.source === undefined ? undefined : SOURCES[agent.source]],
              ['Changed', `${formatDate(agent.updatedAt)}, version ${agent.version}`],
            ]}
          />
          <div>
            <h3>Instructions</h3>
            {instructions === '' ? (
              <p class="soft">None of its own.</p>
            ) : (
              <LongText text={instructions} label={`Instructions of ${name}`} tone="prose" />
            )}
          </div>
        </div>
      </Card>
      <AgentRuns id={id} />
    </div>
  )
}

const SCOPES = { run: 'the run', thread: 'the conversation', global: 'all runs' } as const
const SOURCES = {
  config: 'the config, or a file of .svc/agents',
  store: 'saved here, by the console or the API',
} as const

const toolsInWords = ({ tools }: AgentProfile): string =>
  tools.length === 0 ? 'none' : tools.includes('*') ? 'all that the run allows' : tools.join(', ')
