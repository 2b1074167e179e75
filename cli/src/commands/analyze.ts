import type { CommandContext } from '../frame/context.ts'
import { readTask } from '../input/read-task.ts'
import { defined } from '../line/given-options.ts'
import { renderComplexity } from '../render/complexity.ts'

/** `svc analyze <task>`: how hard is it, and which topology suits it? */
export default async function analyze(context: CommandContext, words: string[]): Promise<number> {
  const description = await readTask(words)
  return context.use({ claims: 'own' }, async ({ runtime }) => {
    const riskLevel = context.flags.risk
    const complexity = await runtime.analyze({ id: 'task', description, ...defined({ riskLevel }) })
    context.print(complexity, () => renderComplexity(complexity))
    return 0
  })
}
