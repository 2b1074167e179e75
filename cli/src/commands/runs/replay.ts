import type { ReplayResult } from '@svc/core'
import type { CommandContext } from '../../context.ts'
import { findId } from '../../find-id.ts'
import { refuseWords } from '../../refuse-words.ts'
import { fit } from '../../render/width.ts'

/** `svc runs replay <id>`: does a run give the same again from its records alone? Exit code 1 where it does not. */
export default async function replay(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('runs replay', words, 1)
  const { runtime } = await context.start({ needsStore: true })
  try {
    const id = await findId(context, runtime, 'run', words[0])
    const result = await runtime.runs.replay(id)
    context.print(result, (columns) => render(result, columns))
    return result.identical ? 0 : 1
  } finally {
    await runtime.close()
  }
}

function render({ identical, firstDivergence }: ReplayResult, columns: number): string {
  if (identical || firstDivergence === undefined) return 'identical'
  const { seq, expected, actual } = firstDivergence
  return [
    `differs from event ${seq} on`,
    `  - ${fit(toText(expected), columns - 4)}`,
    `  + ${fit(toText(actual), columns - 4)}`,
  ].join('\n')
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value !== 'object' || !('type' in value)) return typeof value === 'string' ? value : JSON.stringify(value)
  const { type, stepId, data } = value as { type: unknown; stepId?: unknown; data?: unknown }
  return `${type}${stepId === undefined ? '' : ` ${stepId}`} ${JSON.stringify(data) ?? ''}`
}
