import type { SvcConfig } from '../../contracts/config.ts'
import { toPointer } from '../../text/json-pointer.ts'
import { isRecord } from '../read/read-data.ts'

/** The config of one source. */
export interface Layer {
  /** A path, `default`, `flags` or the name of an environment variable. */
  source: string
  config: SvcConfig
}

/** Maps by id: a stronger layer replaces a whole entry, never half of it. */
const MAPS = new Set(['/providers', '/tools', '/mcpServers', '/agents', '/components'])

/** Lists that add up over the layers, weakest first; all other lists are replaced. */
const GROWING = new Set(['/plugins', '/policy/rules'])

const STRICTNESS = ['allow', 'ask', 'deny']

/**
 * Merges configs.
 *
 * An entry of a map is replaced whole, so that a stronger layer's `baseUrl` never meets a weaker layer's key. Of
 * `policy.default` the strictest counts, from any layer. Objects of the result have no prototype.
 *
 * @param layers weakest first
 * @returns the config, and for each value (by JSON pointer) the source that it came from
 */
export function mergeLayers(layers: readonly Layer[]): { config: SvcConfig; origin: Record<string, string> } {
  const config = emptyRecord()
  const origin: Record<string, string> = Object.create(null)
  for (const { source, config: layer } of layers) mergeInto(config, layer, '', source, origin)
  return { config: config as SvcConfig, origin }
}

function mergeInto(
  target: Record<string, unknown>,
  from: object,
  at: string,
  source: string,
  origin: Record<string, string>,
) {
  for (const [key, value] of Object.entries(from)) {
    if (value === undefined || setsPrototype(key)) continue
    const pointer = toPointer(at, key)
    const before = target[key]
    if (GROWING.has(pointer) && Array.isArray(value)) {
      const grown: unknown[] = Array.isArray(before) ? before : []
      target[key] = grown
      for (const item of value) {
        origin[toPointer(pointer, grown.length)] = source
        grown.push(item)
      }
    } else if (isRecord(value) && !MAPS.has(at)) {
      const inner: Record<string, unknown> = isRecord(before) ? before : emptyRecord()
      target[key] = inner
      mergeInto(inner, value, pointer, source, origin)
    } else if (pointer !== '/policy/default' || isStricter(value, before)) {
      forget(origin, pointer)
      target[key] = value
      note(origin, pointer, value, source)
    }
  }
}

function setsPrototype(key: string): boolean {
  return key === '__proto__'
}

function emptyRecord(): Record<string, unknown> {
  return Object.create(null)
}

const isStricter = (value: unknown, before: unknown): boolean =>
  STRICTNESS.indexOf(String(value)) > STRICTNESS.indexOf(String(before))

function forget(origin: Record<string, string>, pointer: string): void {
  for (const known of Object.keys(origin))
    if (known === pointer || known.startsWith(`${pointer}/`)) delete origin[known]
}

function note(origin: Record<string, string>, pointer: string, value: unknown, source: string): void {
  if (!isRecord(value) || Object.keys(value).length === 0) origin[pointer] = source
  else for (const [key, field] of Object.entries(value)) note(origin, toPointer(pointer, key), field, source)
}
