import type { CommandContext } from '../context.ts'
import { readTask } from '../read-task.ts'
import { renderComplexity } from '../render/complexity.ts'

/** `svc analyze <task>`: how hard is it, and which topology suits it? */
export default async function analyze(context: CommandContext, words: string[]): Promise<number> {
  const description = await readTask(words)
  const { risk } = context.flags
  const { runtime } = await context.start({ claims: 'own' })
  try {
    const complexity = await runtime.analyze({
      id: 'task',
      description,
      ...(risk === undefined ? {} : { riskLevel: risk }),
    })
    context.print(complexity, () => renderComplexity(complexity))
    return 0
  } finally {
    await runtime.close()
  }
}
