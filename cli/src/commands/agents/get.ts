import type { AgentProfile } from '@svc/core'
import type { CommandContext } from '../../frame/context.ts'

/** `svc agents get <id>`: one profile, whole. */
export default function get(context: CommandContext, [id = '']: string[]): Promise<number> {
  return context.use({ persist: false }, async ({ runtime }) => {
    const profile = await runtime.agents.get(id)
    context.print(profile, () => render(profile))
    return 0
  })
}

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

const render = (profile: AgentProfile): string =>
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
