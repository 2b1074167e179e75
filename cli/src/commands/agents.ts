import { type AgentInput, type AgentProfile, ValidationError } from '@svc/core'
import type { CommandContext } from '../context.ts'
import type { Flags } from '../flags.ts'
import { readAction } from '../read-action.ts'
import { renderTable } from '../render/table.ts'

const ACTIONS = ['list', 'get', 'create', 'rm'] as const

/** `svc agents list|get|create|rm`: agent profiles, kept as files in `.svc/agents`. */
export default async function agents(context: CommandContext, words: string[]): Promise<number> {
  const [word = 'list', ...rest] = words
  const action = readAction('agents', word, ACTIONS)
  const many = action === 'create' ? Number.POSITIVE_INFINITY : action === 'list' ? 0 : 1
  if (rest.length > many)
    throw new ValidationError(
      'validation_failed',
      `svc agents ${action}: too many words: ${rest.slice(many).join(' ')}`,
    )
  const name = rest.length === 0 ? undefined : rest.join(' ')
  if (action !== 'list' && name === undefined) {
    throw new ValidationError(
      'validation_failed',
      `svc agents ${action} needs ${action === 'create' ? 'a name' : 'the id of an agent'}`,
    )
  }
  const { runtime } = await context.start({ persist: false })
  try {
    if (action === 'list') {
      const profiles = await runtime.agents.list()
      context.print(profiles, (columns) => renderList(profiles, columns))
    } else if (action === 'get') {
      const profile = await runtime.agents.get(name ?? '')
      context.print(profile, () => renderProfile(profile))
    } else if (action === 'create') {
      const input = toInput(name ?? '', context.flags)
      const known = await runtime.agents.list()
      const profile = await runtime.agents.put(input)
      const verb = known.some(({ id }) => id === profile.id) ? 'changed' : 'made'
      context.print(profile, () => `${verb} agent ${profile.id}: use it with --agent ${profile.id}`)
    } else {
      await runtime.agents.delete(name ?? '')
      context.print({ id: name, removed: true }, () => `removed agent ${name}`)
    }
    return 0
  } finally {
    await runtime.close()
  }
}

function toInput(name: string, { rest, model }: Flags): AgentInput {
  const list = (value: unknown): string[] =>
    value === undefined ? [] : Array.isArray(value) ? value.map(String) : [String(value)]
  const texts = ['id', 'role', 'instructions', 'description'].flatMap((field) =>
    rest[field] === undefined ? [] : [[field, String(rest[field])]],
  )
  const tools = list(rest.tool)
  const capabilities = list(rest.capability)
  return {
    name,
    ...Object.fromEntries(texts),
    ...(model === undefined ? {} : { model }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(capabilities.length === 0 ? {} : { capabilities }),
  }
}

const renderList = (profiles: readonly AgentProfile[], columns: number): string =>
  profiles.length === 0
    ? 'no agents yet: make one with svc agents create <name> --instructions "..."'
    : renderTable(
        ['id', 'name', 'role', 'model', 'description'],
        profiles.map(({ id, name, role, model = '', description = '' }) => [id, name, role, model, description]),
        columns,
      )

/** What a person wrote, or would write; not what svc keeps beside it. */
const SHOWN = [
  'id',
  'name',
  'role',
  'description',
  'model',
  'fallbackModels',
  'tools',
  'capabilities',
  'temperature',
  'maxOutputTokens',
  'budget',
  'toolPolicy',
  'tags',
  'instructions',
] as const satisfies readonly (keyof AgentProfile)[]

const renderProfile = (profile: AgentProfile): string =>
  SHOWN.flatMap((field) => {
    const text = field === 'tools' ? toolsOf(profile) : toText(profile[field])
    return text === '' ? [] : [`${field}: ${text}`]
  }).join('\n')

const toolsOf = ({ tools }: AgentProfile): string =>
  tools.includes('*') ? 'all that the run allows' : tools.length === 0 ? 'none' : tools.join(', ')

function toText(value: unknown): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, part]) => `${name} ${String(part)}`)
    .join(', ')
}
