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
  /** Which tools are left out and why, for a person. */
  readonly warnings: readonly string[]
}

const MOST_TOOLS = 100
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

/** What is left of the tools that a server lists: those that the config lets pass and that can be shown to a model. */
export function vetTools(server: string, { tools: config = {} }: McpServerConfig, listed: readonly McpTool[]): Vetted {
  const { allow, deny } = config
  const isOf = (globs: readonly string[] | undefined, name: string): boolean =>
    globs?.some((glob) => matchesGlob(glob, name)) === true
  const tools = new Map<string, VettedTool>()
  const left: string[] = []
  const refused: string[] = []
  for (const { name, description, parameters } of listed) {
    if ((allow !== undefined && !isOf(allow, name)) || isOf(deny, name)) continue
    const shown = JSON.stringify(name.slice(0, 128))
    if (!NAME.test(name))
      refused.push(`${shown}: its name holds other signs than letters, digits, "_", "-", "." and "/"`)
    else if (tools.has(name)) refused.push(`${shown}: there are two of this name, the first is offered`)
    else if (tools.size >= MOST_TOOLS) left.push(name)
    else {
      const vetted = vetSchema(parameters)
      if (typeof vetted === 'string') refused.push(`${shown}: its parameters ${vetted}`)
      else tools.set(name, { name, description: toShownText(description), parameters: vetted })
    }
  }
  const rest =
    left.length === 0
      ? []
      : [
          `it has ${left.length} tools more than the ${MOST_TOOLS} that are offered: ${someOf(left)}. Choose with tools.allow`,
        ]
  return {
    tools: [...tools.values()],
    warnings: [...someRefused(refused), ...rest].map((why) => `the MCP server "${server}": ${why}`),
  }
}

const someOf = (names: readonly string[]): string =>
  names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} others`

const someRefused = (refused: readonly string[]): string[] => [
  ...refused.slice(0, 5).map((why) => `the tool ${why}; it is left out`),
  ...(refused.length > 5 ? [`${refused.length - 5} other tools are left out as they cannot be used`] : []),
]

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
  if (!isBelow(schema, MOST_DEPTH)) return `are nested deeper than ${MOST_DEPTH} levels`
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  if (bytes > MOST_SCHEMA_BYTES) return `have ${bytes} bytes, more than the ${MOST_SCHEMA_BYTES} that are taken`
  const clean = toClean(schema, false)
  if (JSON.stringify(clean).replace(HIDDEN, '') !== JSON.stringify(clean)) return 'hold signs that nobody sees'
  const far = findRemote(clean, false)
  if (far !== undefined)
    return `refer to ${JSON.stringify(far.slice(0, 200))}: only a part of themselves can be looked up`
  const error = findParametersError(clean)
  return error === undefined ? (clean as JsonSchema) : `${error.path} ${error.message}`.trim()
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
