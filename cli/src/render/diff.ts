import type { Change, RunDiff } from '@svc/core'
import type { Io } from '../frame/io.ts'
import { paintChange } from './markdown/blocks.ts'
import { fit } from './width.ts'

const PARTS = ['plan', 'agents', 'toolCalls', 'usage', 'output'] as const
const TITLES: Readonly<Record<(typeof PARTS)[number], string>> = {
  plan: 'plan',
  agents: 'agents',
  toolCalls: 'tool calls',
  usage: 'usage',
  output: 'answer',
}

/** Where two runs differ: by part, a place with what stood there before and after. */
export function renderDiff(diff: RunDiff, columns: number): string {
  const parts = PARTS.flatMap((part) => {
    const changes = diff[part]
    return changes.length === 0 ? [] : [TITLES[part], ...changes.flatMap((change) => linesOf(change, columns))]
  })
  const [seq] = diff.firstDivergence?.seq ?? []
  const first = seq === undefined ? [] : [`the logs part at event ${seq}`]
  return parts.length + first.length === 0 ? 'no difference' : [...parts, ...first].join('\n')
}

export const linesOf = ({ path, before, after }: Change, columns: number): string[] => [
  `  ${fit(path, columns - 2)}`,
  ...(before === undefined || before === null ? [] : [`    - ${fit(toText(before), columns - 6)}`]),
  ...(after === undefined || after === null ? [] : [`    + ${fit(toText(after), columns - 6)}`]),
]

const toText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'))

/** Lines of a unified diff in colours. */
export const paintDiff = (diff: string, paint: Io['paint']): string[] => {
  const painter = paintChange(paint)
  return diff.split('\n').map((line) => painter(line)(line))
}
