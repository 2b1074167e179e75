import type { AgentInput, AgentProfile, SvcError } from '@svc/sdk/remote'
import { splitWords } from '../parts/format.ts'

/** A profile as it is entered. */
export interface AgentDraft {
  name: string
  id: string
  role: string
  description: string
  instructions: string
  model: string
  /** With commas between them, as the other lists are. */
  tools: string
  capabilities: string
  tags: string
}
export type AgentField = keyof AgentDraft

export const EMPTY_AGENT: AgentDraft = {
  name: '',
  id: '',
  role: '',
  description: '',
  instructions: '',
  model: '',
  tools: '*',
  capabilities: '',
  tags: '',
}

export const toAgentDraft = ({
  tools,
  capabilities,
  tags,
  description = '',
  model = '',
  ...profile
}: AgentProfile) => ({
  name: profile.name,
  id: profile.id,
  role: profile.role,
  description,
  instructions: profile.instructions,
  model,
  tools: tools.join(', '),
  capabilities: capabilities.join(', '),
  tags: tags.join(', '),
})

/** What is to be saved: what was entered, and of the profile that it replaces what the form has no field for. */
export function toAgentInput(draft: AgentDraft, before?: AgentProfile): AgentInput {
  const optional = (text: string, name: 'model' | 'description') => (text.trim() === '' ? {} : { [name]: text.trim() })
  const kept =
    before === undefined
      ? {}
      : {
          fallbackModels: before.fallbackModels,
          budget: before.budget,
          metadata: before.metadata,
          ...(before.temperature !== undefined && { temperature: before.temperature }),
          ...(before.maxOutputTokens !== undefined && { maxOutputTokens: before.maxOutputTokens }),
          ...(before.toolPolicy !== undefined && { toolPolicy: before.toolPolicy }),
          ...(before.outputSchema !== undefined && { outputSchema: before.outputSchema }),
        }
  const id = before?.id ?? draft.id.trim()
  return {
    ...kept,
    name: draft.name.trim(),
    ...(id !== '' && { id }),
    ...(draft.role.trim() !== '' && { role: draft.role.trim() }),
    instructions: draft.instructions,
    tools: splitWords(draft.tools),
    capabilities: splitWords(draft.capabilities),
    tags: splitWords(draft.tags),
    ...optional(draft.description, 'description'),
    ...optional(draft.model, 'model'),
  }
}

export type AgentProblems = Partial<Record<AgentField | 'other', string>>

/** What the server refused, beside the fields that it names. */
export function toAgentProblems(error: SvcError): AgentProblems {
  const problems: AgentProblems = {}
  for (const { path, message } of error.errors ?? []) {
    const name = path.split('/')[1] ?? ''
    if (Object.hasOwn(EMPTY_AGENT, name)) problems[name as AgentField] ??= message
    else problems.other ??= `${path} ${message}`
  }
  if (error.code === 'agent_exists') problems.id = 'is the id of another agent already: choose another'
  return Object.keys(problems).length > 0 ? problems : { other: error.message }
}
