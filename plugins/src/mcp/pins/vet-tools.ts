import type { JsonSchema, McpServerConfig } from '@svc/core'
import { findParametersError } from '@svc/core/schema'
import { matchesGlob } from '@svc/core/support'
import type { McpTool } from '../types.ts'

/** A tool as models see it: what a server says of it, without what is hidden in that, and not more than is needed. */
export interface VettedTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

export interface Vetted {
  readonly tools: readonly VettedTool[]
  /** Which tools are left out and why, for a person; the server is to be named before. */
  readonly warnings: readonly string[]
}

/** Of one server, in the prompt. */
const MOST_TOOLS = 100
/** More of them nobody looks at. */
const MOST_VETTED = 1_000
const MOST_DESCRIPTION_BYTES = 2_048
const MOST_SCHEMA_BYTES = 65_536
const MOST_DEPTH = 50
const NAME = /^[A-Za-z0-9_./-]{1,128}$/
/** Signs that nobody sees, or that turn what stands beside them. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{DI}\p{Zl}\p{Zp}]/gu
const FOR_PEOPLE: ReadonlySet<string> = new Set(['description', 'title', '$comment'])
/** What a schema holds as data, and what it names itself. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])

/** Whether a config offers a tool of this name. */
function isChosen({ tools: { allow, deny } = {} }: McpServerConfig, name: string): boolean {
  const isOf = (globs: readonly string[]): boolean => globs.some((glob) => matchesGlob(glob, name))
  return (allow === undefined || isOf(allow)) && !(deny !== undefined && isOf(deny))
}

/**
 * The tools of a server that can be shown to a model, whatever the config offers of them: what is seen once is known when more
 * is offered later. Those that the config offers come first.
 *
 * @returns warnings are of tools that the config offers
 */
export function vetTools(config: McpServerConfig, listed: readonly McpTool[]): Vetted {
  const tools = new Map<string, VettedTool>()
  const warnings: string[] = []
  const sorted = [
    ...listed.filter(({ name }) => isChosen(config, name)),
    ...listed.filter(({ name }) => !isChosen(config, name)),
  ]
  for (const { name, description, parameters } of sorted.slice(0, MOST_VETTED)) {
    const why = tools.has(name) ? 'there are two of this name, the first one counts' : findNameFault(name)
    const vetted = why ?? vetSchema(parameters)
    if (typeof vetted !== 'string') tools.set(name, { name, description: toShownText(description), parameters: vetted })
    else if (isChosen(config, name)) warnings.push(`${JSON.stringify(name.slice(0, 128))} is left out: ${vetted}`)
  }
  const more = sorted.length - MOST_VETTED
  const rest = more > 0 ? [`${more} tools more than the ${MOST_VETTED} that are looked at`] : []
  return { tools: [...tools.values()], warnings: [...shortened(warnings), ...rest] }
}

/** Those of a server's tools that are offered: what the config lets pass, and not too many. */
export function chooseTools(config: McpServerConfig, vetted: readonly VettedTool[]): Vetted {
  const chosen = vetted.filter(({ name }) => isChosen(config, name))
  const left = chosen.slice(MOST_TOOLS).map(({ name }) => name)
  if (left.length === 0) return { tools: chosen, warnings: [] }
  const why = `${nameSome(left)} left out: the first ${MOST_TOOLS} tools are offered. Choose others by tools.allow and tools.deny`
  return { tools: chosen.slice(0, MOST_TOOLS), warnings: [why] }
}

/** Names for a person to read: of many the first five. */
export const nameSome = (names: readonly string[]): string =>
  names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} others`

const findNameFault = (name: string): string | undefined =>
  NAME.test(name) ? undefined : 'its name has other signs than letters, digits, "_", "-", "." and "/", or more than 128'

const shortened = (warnings: readonly string[]): string[] =>
  warnings.length <= 5
    ? [...warnings]
    : [...warnings.slice(0, 5), `${warnings.length - 5} other tools are left out too`]

/** A text for people and models. */
function toShownText(text: string): string {
  const plain = text
    .slice(0, 4 * MOST_DESCRIPTION_BYTES)
    .replace(HIDDEN, (sign) => (sign === '\n' || sign === '\t' ? sign : ''))
    .trim()
  const bytes = Buffer.from(plain)
  if (bytes.length <= MOST_DESCRIPTION_BYTES && text.length <= 4 * MOST_DESCRIPTION_BYTES) return plain
  return `${bytes
    .subarray(0, MOST_DESCRIPTION_BYTES)
    .toString('utf8')
    .replace(/\ufffd+$/, '')} [cut]`
}

/** The schema without what is hidden in its texts; or what is wrong with it. */
function vetSchema(given: unknown): JsonSchema | string {
  // Left out, it takes nothing.
  const schema = given ?? { type: 'object' }
  if (!isBelow(schema, MOST_DEPTH)) return `its parameters are nested deeper than ${MOST_DEPTH} levels`
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  if (bytes > MOST_SCHEMA_BYTES)
    return `its parameters have ${bytes} bytes, more than the ${MOST_SCHEMA_BYTES} that are taken`
  const clean = toClean(schema, false)
  if (JSON.stringify(clean).replace(HIDDEN, '') !== JSON.stringify(clean))
    return 'its parameters hold signs that nobody sees'
  const far = findRemote(clean, false)
  if (far !== undefined)
    return `its parameters refer to ${JSON.stringify(far.slice(0, 200))}: only a part of themselves can be looked up`
  const error = findParametersError(clean)
  return error === undefined ? (clean as JsonSchema) : `its parameters${error.path}: ${error.message}`
}

const isBelow = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((inner) => isBelow(inner, depth - 1)))

/** @param isNamed whether the names are the schema's own, such as those of properties */
function toClean(value: unknown, isNamed: boolean): unknown {
  if (Array.isArray(value)) return value.map((inner) => toClean(inner, false))
  if (typeof value !== 'object' || value === null) return value
  const clean = Object.entries(value).map(([name, inner]) => {
    if (!isNamed && FOR_PEOPLE.has(name) && typeof inner === 'string') return [name, toShownText(inner)]
    return [name, !isNamed && DATA.has(name) ? inner : toClean(inner, !isNamed && NAMED.has(name))]
  })
  return Object.fromEntries(clean)
}

/** A reference that leads out of the schema. */
function findRemote(value: unknown, isNamed: boolean): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    if (!isNamed && DATA.has(name)) continue
    if (!isNamed && /^\$(?:dynamic|recursive)?ref$/i.test(name) && typeof inner === 'string' && !inner.startsWith('#'))
      return inner
    const far = findRemote(inner, !isNamed && NAMED.has(name))
    if (far !== undefined) return far
  }
  return undefined
}
