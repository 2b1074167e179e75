import type { TapInfo } from '@svc/sdk/remote'
import { STAGES } from '../state/stages.ts'

/** The hooks around each model and tool call, in the order in which a call passes them. */
const CALL_HOOKS = ['modelRequest', 'modelResponse', 'toolRequest', 'toolResult'] as const

/** Every hook in order, with who taps it; an empty list where nobody does. */
export function hooksOf(taps: readonly TapInfo[]): { hook: string; taps: readonly TapInfo[] }[] {
  const known: readonly string[] = [...STAGES, ...CALL_HOOKS]
  const others = [...new Set(taps.map(({ hook }) => hook))].filter((hook) => !known.includes(hook))
  return [...known, ...others].map((hook) => ({ hook, taps: taps.filter((tap) => tap.hook === hook) }))
}

/** A value of the config, by its place. */
export interface ConfigRow {
  path: string
  value: string
  source: string
}

/** Each single value of the config with where it comes from: its own origin, else that of what it stands in. */
export function toConfigRows({ value, origin }: { value: unknown; origin: Record<string, string> }): ConfigRow[] {
  const rows: ConfigRow[] = []
  const add = (at: unknown, path: string, source: string): void => {
    const here = origin[path] ?? origin[`/${path.replaceAll('.', '/')}`] ?? source
    if (typeof at !== 'object' || at === null || Object.keys(at).length === 0) {
      rows.push({ path, value: typeof at === 'string' ? at : (JSON.stringify(at) ?? '–'), source: here })
      return
    }
    for (const [name, item] of Object.entries(at)) add(item, path === '' ? name : `${path}.${name}`, here)
  }
  add(value, '', '')
  return rows.filter(({ path }) => path !== '')
}
