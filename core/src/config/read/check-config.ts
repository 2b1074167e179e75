import { SLOTS, type Slot, SvcConfig, ToolConfig } from '../../contracts/config.ts'
import type { FieldError } from '../../errors.ts'
import { findParametersError, findSchemaError } from '../../runtime/json-schema.ts'
import { toPointer } from '../../text/json-pointer.ts'
import { findErrors } from '../../validate.ts'
import { invalid } from './config-error.ts'
import { findUnknown } from './find-unknown.ts'
import { isRecord } from './read-data.ts'
import { shown } from './shown.ts'

/** Other names of the slots: their default components. */
const SLOT_NAMES: Readonly<Record<string, Slot>> = Object.assign(Object.create(null), {
  analyzer: 'analyze',
  taskComplexityAnalyzer: 'analyze',
  allocator: 'allocate',
  tokenBudgetAllocator: 'allocate',
  orchestrator: 'orchestrate',
  adaptiveOrchestrator: 'orchestrate',
  threeLayerMemory: 'memory',
  reflection: 'reflect',
  reflectionEngine: 'reflect',
  consensusChecker: 'consensus',
  inspector: 'inspect',
  inspectorAgent: 'inspect',
})

/** The slots that may be empty. */
const OPTIONAL_SLOTS: readonly Slot[] = ['memory', 'reflect', 'consensus', 'inspect']

/**
 * Checks one layer and returns it with the slots under their own names.
 *
 * @param file for messages: a path or the name of a layer
 * @throws ConfigError `config_invalid` with a pointer and a sentence for each error
 */
export function checkConfig(raw: unknown, file: string): SvcConfig {
  if (raw === undefined || raw === null) return {}
  if (!isRecord(raw)) throw invalid(file, `must be an object of settings, not ${describe(raw)}`)
  const { $schema: _, ...fields } = raw
  const errors: FieldError[] = []
  if (isRecord(fields.components)) fields.components = renameSlots(fields.components, errors)
  const known = findUnknown(SvcConfig, fields, '', errors) as Record<string, unknown>
  const { tools, ...rest } = known
  errors.push(
    ...findErrors(SvcConfig, rest),
    ...checkTools(tools),
    ...checkEach('/mcpServers', isRecord(known.mcpServers) ? known.mcpServers : {}, checkServer),
    ...checkEach('/agents', isRecord(known.agents) ? known.agents : {}, checkAgent),
    ...checkSlots(known.components),
    ...checkPlugins(known.plugins),
  )
  throwIfAny(errors, file)
  return known as SvcConfig
}

const MOST_SAID = 10

/** @throws ConfigError `config_invalid` that says the first ten errors and counts the others */
export function throwIfAny(errors: FieldError[], file: string): void {
  if (errors.length === 0) return
  const said = errors.slice(0, MOST_SAID).map(({ path, message }) => `${shown(path || '/')} ${message}`)
  const more = errors.length > MOST_SAID ? ` (and ${errors.length - MOST_SAID} more)` : ''
  throw invalid(file, `${said.join('; ')}${more}`, errors)
}

/** A value's kind in a word or two, for messages. */
export function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function renameSlots(components: Record<string, unknown>, errors: FieldError[]): Record<string, unknown> {
  const renamed: Record<string, unknown> = Object.create(null)
  for (const [name, value] of Object.entries(components)) {
    const key = SLOT_NAMES[name.charAt(0).toLowerCase() + name.slice(1)] ?? name
    if (key in renamed) {
      errors.push({ path: toPointer('/components', name), message: `names the slot "${key}" a second time` })
    }
    renamed[key] = value
  }
  return renamed
}

function checkTools(tools: unknown): FieldError[] {
  if (tools === undefined) return []
  if (!isRecord(tools)) return [{ path: '/tools', message: 'must be object' }]
  return checkEach('/tools', tools, checkTool)
}

function checkEach(at: string, map: Record<string, unknown>, check: (value: unknown) => FieldError[]): FieldError[] {
  return Object.entries(map).flatMap(([id, value]) =>
    check(value).map(({ path, message }) => ({ path: `${toPointer(at, id)}${path}`, message })),
  )
}

/** What is wrong with an MCP server beside its fields. */
export function checkServer(server: unknown): FieldError[] {
  const ways = isRecord(server) ? ['command', 'url'].filter((way) => server[way] !== undefined) : []
  if (!isRecord(server) || ways.length === 1) return []
  return [{ path: '', message: 'needs exactly one of "command" and "url"' }]
}

/** What is wrong with an agent beside its fields. */
export function checkAgent(agent: unknown): FieldError[] {
  const { outputSchema } = isRecord(agent) ? agent : {}
  const error = outputSchema === undefined ? undefined : findSchemaError(outputSchema)
  return error === undefined ? [] : [{ path: `/outputSchema${error.path}`, message: error.message }]
}

/** What is wrong with a tool; `false`, which switches one off, is valid. */
export function checkTool(tool: unknown): FieldError[] {
  if (tool === false) return []
  const errors = findErrors(ToolConfig, tool)
  if (errors.length > 0 || !isRecord(tool)) return errors
  const unfit = findParametersError(tool.parameters)
  if (unfit !== undefined) errors.push({ path: `/parameters${unfit.path}`, message: unfit.message })
  const ways = ['http', 'command', 'run'].filter((way) => tool[way] !== undefined)
  if (ways.length !== 1) errors.push({ path: '', message: 'needs exactly one of "http", "command" and "run"' })
  if (tool.run !== undefined && typeof tool.run !== 'function') {
    errors.push({ path: '/run', message: 'must be a function, which only a code file can hold' })
  }
  if (Array.isArray(tool.command) && tool.command.length === 0) {
    errors.push({ path: '/command', message: 'must name a program' })
  }
  return errors
}

function checkSlots(components: unknown): FieldError[] {
  if (!isRecord(components)) return []
  return Object.entries(components).flatMap(([slot, value]) => {
    const path = toPointer('/components', slot)
    if (!SLOTS.some((known) => known === slot) || typeof value === 'string' || isPlugin(value)) return []
    if (value === false) {
      return OPTIONAL_SLOTS.some((optional) => optional === slot)
        ? []
        : [{ path, message: `cannot be switched off; put a plugin there (${OPTIONAL_SLOTS.join(', ')} can)` }]
    }
    return [
      { path, message: typeof value === 'function' ? CALL_IT : 'must be a plugin, the path of a module, or false' },
    ]
  })
}

const CALL_IT =
  'is a function; call it, so that a plugin stands there: what definePlugin returns is a function to be called'

function checkPlugins(plugins: unknown): FieldError[] {
  if (plugins === undefined) return []
  if (!Array.isArray(plugins)) return [{ path: '/plugins', message: 'must be array' }]
  return plugins.flatMap((entry: unknown, index) => {
    const fine =
      typeof entry === 'string' ||
      isPlugin(entry) ||
      (Array.isArray(entry) && entry.length === 2 && typeof entry[0] === 'string' && isRecord(entry[1]))
    if (fine) return []
    const message = typeof entry === 'function' ? CALL_IT : 'must be a plugin, the path of a module, or [path, options]'
    return [{ path: `/plugins/${index}`, message }]
  })
}

/** Whether a value has what every plugin has. */
export function isPlugin(value: unknown): value is { readonly name: string; apply(host: never): void | Promise<void> } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'apply' in value &&
    typeof value.apply === 'function'
  )
}
