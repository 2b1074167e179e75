import { isRecord, type Json } from './json.ts'

/**
 * Names of tools as a provider allows them: letters, digits, `_` and `-`. Ids such as `mcp.files.read` are translated
 * there and back; two ids never share a name.
 */
export class ToolNames {
  readonly #maxLength: number
  readonly #names = new Map<string, string>()
  readonly #ids = new Map<string, string>()

  constructor(ids: readonly string[], maxLength = 64) {
    this.#maxLength = maxLength
    for (const id of ids) this.toName(id)
  }

  /** The name of a tool on the wire. */
  toName(id: string): string {
    const known = this.#names.get(id)
    if (known !== undefined) return known
    const base = id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, this.#maxLength) || 'tool'
    let name = base
    for (let count = 2; this.#ids.has(name); count++) {
      const suffix = `_${count}`
      name = base.slice(0, this.#maxLength - suffix.length) + suffix
    }
    this.#names.set(id, name)
    this.#ids.set(name, id)
    return name
  }

  /** The tool that a name means; a name that nobody gave stays as it is. */
  toId(name: string): string {
    return this.#ids.get(name) ?? name
  }
}

/**
 * A call's arguments. Nothing stands for no arguments; text that is no JSON, or is JSON of a bare string, stays the text
 * that it is, so that what goes back to the model is what it wrote.
 */
export function parseArgs(given: unknown): unknown {
  if (typeof given !== 'string') return given ?? {}
  if (given.trim() === '') return {}
  try {
    const parsed: unknown = JSON.parse(given)
    return typeof parsed === 'string' ? given : (parsed ?? {})
  } catch {
    return given
  }
}

/** The reverse of `parseArgs`. */
export function toArgsText(args: unknown): string {
  return typeof args === 'string' ? args : JSON.stringify(args ?? {})
}

/** Arguments for a wire that knows objects only. */
export function toArgsObject(args: unknown): Json {
  return isRecord(args) ? args : { arguments: args ?? null }
}

/**
 * Ids that are never empty and differ within one answer. Where the provider gave none, the id comes from the position
 * of the answer in the conversation and of the call in the answer, so that equal requests give equal ids.
 */
export function toCallId(given: string, taken: ReadonlySet<string>, turn: number, position: number): string {
  if (given !== '' && !taken.has(given)) return given
  const base = given === '' ? `call-${turn}-${position}` : `${given}-${position}`
  let id = base
  for (let count = 2; taken.has(id); count++) id = `${base}-${count}`
  return id
}
