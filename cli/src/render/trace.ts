import type { Change, RunEvent } from '@svc/core'

/** Every tap of every stage in order: its time, and what it changed in the answer. */
export function renderTrace(events: readonly RunEvent[]): string {
  const lines = events.flatMap((event) => {
    if (event.type !== 'stage.completed' && event.type !== 'stage.failed') return []
    const taps = event.data.taps ?? []
    return [
      event.stage ?? '',
      ...taps.flatMap(({ plugin, durationMs, answered, changes = [] }) => {
        const what = !answered ? 'deferred' : changes.length > 0 ? 'amended' : 'answered'
        const line = `  ${plugin.padEnd(14)} ${durationMs.toFixed(2).padStart(9)} ms  ${what}`
        return [line, ...changes.map(describeChange)]
      }),
    ]
  })
  return `${lines.join('\n')}\n`
}

const describeChange = ({ path, before, after }: Change): string => `    ${path}: ${short(before)} -> ${short(after)}`

function short(value: unknown): string {
  const text = value === null ? 'nothing' : JSON.stringify(value)
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}
