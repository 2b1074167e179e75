import type { TapTrace } from '@svc/core'

/** Every tap in order: its time, and what it changed in the answer. */
export function renderTrace(traces: readonly TapTrace[]): string {
  const lines: string[] = []
  let hook = ''
  for (const trace of traces) {
    if (trace.hook !== hook) lines.push(trace.hook)
    hook = trace.hook
    const what = trace.answered ? (trace.before === undefined ? 'answered' : 'amended') : 'deferred'
    lines.push(`  ${trace.plugin.padEnd(14)} ${trace.durationMs.toFixed(2).padStart(9)} ms  ${what}`)
    if (trace.answered) lines.push(...difference(trace.before, trace.after).map((line) => `    ${line}`))
  }
  return `${lines.join('\n')}\n`
}

/** Where two answers differ, a line a field; of a first answer only its fields are named. */
function difference(before: unknown, after: unknown, path = ''): string[] {
  if (before === undefined && isObject(after)) return [`+ ${Object.keys(after).join(', ')}`]
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.flatMap((name) =>
      same(before[name], after[name]) ? [] : difference(before[name], after[name], `${path}/${name}`),
    )
  }
  return same(before, after) ? [] : [`${path}: ${short(before)} -> ${short(after)}`]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}
