import { useSignal } from '@preact/signals'
import type { AgentProfile } from '@svc/sdk/remote'
import { useLocation, useRoute } from 'preact-iso'
import { ErrorNote } from '../parts/error-note.tsx'
import { useViewTitle } from '../parts/view-title.ts'
import { Deciding } from '../session/deciding.tsx'
import { mayDo } from '../session/session.ts'
import { useLoad } from '../session/use-load.ts'
import { AgentDetails } from './agent-details.tsx'
import { AgentForm } from './agent-form.tsx'
import './agents.css'

const PATH = '/console/agents'

/** The agent profiles: each with what it is for and what it did; to be made, changed and deleted. */
export default function Agents() {
  const { route, query } = useLocation()
  const { id = '' } = useRoute().params
  const isMaking = query.new !== undefined
  const changing = useSignal<AgentProfile | undefined>(undefined)
  const { value: agents, error, isLoading, reload } = useLoad(({ agents: from }) => from.list(), [])
  const one = useLoad(async ({ agents: from }) => (id === '' ? undefined : from.get(id)), [id])
  useViewTitle(one.value?.name ?? 'Agents')
  const { value: before } = changing
  const isChanging = before !== undefined && before.id === id
  const show = (shown: string): void => {
    changing.value = undefined
    reload()
    one.reload()
    route(shown === '' ? PATH : `${PATH}/${encodeURIComponent(shown)}`)
  }
  return (
    <div class="stack agents-page">
      <div class="row">
        <h1>Agents</h1>
        {!isMaking && mayDo('admin') && (
          <a class="button spread" href={`${PATH}?new=1`}>
            New agent
          </a>
        )}
      </div>
      {agents?.length === 0 && !isMaking && id === '' ? (
        <NoAgents />
      ) : (
        <div class="agents-sides" data-open={id !== '' || isMaking}>
          <section class="list" aria-label="Agent profiles">
            <ErrorNote error={error} onRetry={reload} />
            {agents !== undefined && agents.length > 0 && (
              <ul class="card">
                {agents.map((agent) => (
                  <li key={agent.id}>
                    <a
                      href={`${PATH}/${encodeURIComponent(agent.id)}`}
                      aria-current={agent.id === id ? 'page' : undefined}
                    >
                      <span class="row">
                        <b class="clip">{agent.name}</b>
                        <span class="pill">{agent.role}</span>
                      </span>
                      <span class="soft small about">
                        {agent.description ?? (firstLine(agent.instructions) || agent.id)}
                      </span>
                    </a>
                  </li>
                ))}
              </ul>
            )}
            {agents === undefined && isLoading && <p class="empty">Asking the server…</p>}
          </section>
          <div class="one">
            {(id !== '' || isMaking) && (
              <a class="back small" href={PATH}>
                ‹ All agents
              </a>
            )}
            {isMaking ? (
              <Deciding scope="admin">
                <AgentForm onSaved={(saved) => show(saved.id)} onCancel={() => show('')} />
              </Deciding>
            ) : isChanging ? (
              <AgentForm
                key={id}
                before={before}
                onSaved={(saved) => show(saved.id)}
                onCancel={() => (changing.value = undefined)}
              />
            ) : id === '' ? (
              agents !== undefined &&
              agents.length > 0 && <p class="empty">Choose an agent to see what it is and did.</p>
            ) : one.value !== undefined ? (
              <AgentDetails
                key={id}
                agent={one.value}
                onEdit={() => (changing.value = one.value)}
                onDeleted={() => show('')}
              />
            ) : (
              <>
                <ErrorNote error={one.error} onRetry={one.reload} />
                {one.isLoading && <p class="empty">Asking the server…</p>}
              </>
            )}
          </div>
        </div>
      )}
    </div>
  )
}

function NoAgents() {
  return (
    <div class="card empty stack tight">
      <p>
        <b>No agents yet.</b> An agent is a role with its own instructions, model and tools, which runs may use by its
        id. Files in <code>.svc/agents</code> and the config make them too.
      </p>
      <Deciding scope="admin">
        <p>
          <a class="button" href={`${PATH}?new=1`}>
            Make the first one
          </a>
        </p>
      </Deciding>
    </div>
  )
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? ''
