import type { CommandContext } from '../../frame/context.ts'
import { defined } from '../../line/given-options.ts'

/** `svc agents create <name>`: makes a profile, or changes it. */
export default function create(context: CommandContext, words: string[]): Promise<number> {
  const { own, model } = context.flags
  const [tools, capabilities] = [own.list('tool'), own.list('capability')]
  return context.use({ persist: false }, async ({ runtime }) => {
    const known = await runtime.agents.list()
    const profile = await runtime.agents.put({
      name: words.join(' '),
      ...defined({
        id: own.text('id'),
        role: own.text('role'),
        instructions: own.text('instructions'),
        description: own.text('description'),
        model,
        tools: tools.length === 0 ? undefined : tools,
        capabilities: capabilities.length === 0 ? undefined : capabilities,
      }),
    })
    const verb = known.some(({ id }) => id === profile.id) ? 'changed' : 'made'
    context.print(profile, () => `${verb} agent ${profile.id}: use it with --agent ${profile.id}`)
    return 0
  })
}
