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

/** What a person wrote, or would write, without what svc keeps beside it; the instructions last. */
function render({
  memory: _,
  handoffs: _h,
  version: _v,
  createdAt: _c,
  updatedAt: _u,
  ...profile
}: AgentProfile): string {
  const { id, name, role, instructions, ...rest } = { ...profile, tools: toolsOf(profile) }
  return Object.entries({ id, name, role, ...rest, instructions })
    .flatMap(([field, value]) => (toText(value) === '' ? [] : [`${field}: ${toText(value)}`]))
    .join('\n')
}

const toolsOf = ({ tools }: Pick<AgentProfile, 'tools'>): string =>
  tools.includes('*') ? 'all that the run allows' : tools.length === 0 ? 'none' : tools.join(', ')

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  return Object.entries(value)
    .map(([name, part]) => `${name} ${String(part)}`)
    .join(', ')
}
