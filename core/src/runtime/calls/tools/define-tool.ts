import type { SchemaInput, SchemaOutput } from '../../../contracts/tool/infer-schema.ts'
import type { Tool, ToolContext, ToolGlance } from '../../../contracts/tool/tool.ts'
import { ToolRisk } from '../../../contracts/words.ts'
import { type FieldError, ToolError, ValidationError } from '../../../errors.ts'
import { describeErrors } from '../../../text/describe-errors.ts'
import { nearest } from '../../../text/nearest.ts'
import { checkBySchema, findParametersError, findSchemaError, isPlain } from '../../json-schema.ts'
import { isStandard } from '../../standard-schema.ts'

type Awaitable<T> = T | Promise<T>

/** What a tool returns: anything, unless a schema says more. */
type Returned<Output> = object extends Output ? unknown : SchemaInput<Output>

/** The parts of a tool that are handed its arguments. */
type ByArguments = 'preview' | 'alwaysAsks' | 'touches' | 'confinement' | 'needsApproval' | 'run'

/** A tool whose functions know the type of its arguments: see `Tool`. */
export interface ToolDefinition<Parameters extends object, Output extends object>
  extends Omit<Tool, ByArguments | 'parameters' | 'risk'> {
  /** Of an object: zod, Valibot, ArkType or another Standard Schema with JSON Schema of its own, TypeBox, or JSON Schema. */
  readonly parameters: Parameters
  /**
   * What a call may do. Left out, it may do anything as far as svc knows: it counts as `network`, is never repeated on its
   * own after a crash, and is called without a question unless `needsApproval` says otherwise or its agent has read
   * untrusted content. Say `read` of a tool that changes nothing and sends nothing.
   */
  readonly risk?: ToolRisk
  /** What it returns, of the same kinds as `parameters`. Anything else fails the call with `tool_failed`. */
  readonly output?: Output
  preview?(args: SchemaOutput<Parameters>, context: ToolGlance): Promise<string>
  alwaysAsks?(args: SchemaOutput<Parameters>, context: ToolGlance): ReturnType<NonNullable<Tool['alwaysAsks']>>
  touches?(args: SchemaOutput<Parameters>, context: ToolGlance): ReturnType<NonNullable<Tool['touches']>>
  confinement?(args: SchemaOutput<Parameters>): ReturnType<NonNullable<Tool['confinement']>>
  /** Whether a person has to be asked about this call, or why. Where it throws, the call is denied. */
  needsApproval?(args: SchemaOutput<Parameters>, context: ToolGlance): Awaitable<boolean | string>
  run(args: SchemaOutput<Parameters>, context: ToolContext): Awaitable<Returned<Output>>
}

/**
 * Makes a tool whose arguments have the type that its schema says.
 *
 * @throws ValidationError `validation_failed` with all that is wrong
 */
export function defineTool<const Parameters extends object, const Output extends object = object>(
  definition: ToolDefinition<Parameters, Output>,
): Tool {
  const errors = findFaults(definition)
  if (errors.length > 0) {
    const { id } = (definition ?? {}) as { id?: unknown }
    const whose = typeof id === 'string' && id !== '' ? `tool "${id.slice(0, 64)}":` : 'tool'
    const message = errors.map(({ path, message }) => `${path.slice(1)} ${message}`.trim()).join('; ')
    throw new ValidationError('validation_failed', `${whose} ${message}`, { errors })
  }
  const { id, output } = definition
  const given = takeFields(definition)
  return {
    ...given,
    risk: given.risk ?? 'network',
    ...(given.risk === undefined && given.needsApproval === undefined && { needsApproval: () => false }),
    run: async (args, context) => {
      const returned = await given.run(args, context)
      return output === undefined ? returned : checkOutput(id, output, returned)
    },
  }
}

/** What a tool has of a definition, which may be of a class: inherited fields too, and functions with their `this`. */
function takeFields(definition: object): Omit<Tool, 'risk'> & { risk?: ToolRisk } {
  const fields: Record<string, unknown> = {}
  for (const name of FIELDS) {
    const value = (definition as Record<string, unknown>)[name]
    if (value !== undefined)
      fields[name] = typeof value === 'function' && name !== 'parameters' ? value.bind(definition) : value
  }
  return fields as unknown as Tool
}

async function checkOutput(id: string, schema: object, returned: unknown): Promise<unknown> {
  const { value, errors } = await checkBySchema(schema as Tool['parameters'], returned)
  if (errors === undefined) return value
  throw new ToolError('tool_failed', `${id} returned what its output does not allow: ${describeErrors(errors, 'it')}`)
}

const TOOL_ID = /^[a-zA-Z][a-zA-Z0-9_.-]{0,63}$/
type Check = readonly [fits: (value: unknown) => boolean, mustBe: string]
const SWITCH: Check = [(value) => typeof value === 'boolean', 'true or false']
const LIMIT: Check = [(value) => typeof value === 'number' && value > 0, 'a number above 0']
const FUNCTION: Check = [(value) => typeof value === 'function', 'a function of the arguments']
const OPTIONAL: Readonly<Record<Exclude<keyof Tool, 'id' | 'description' | 'parameters' | 'risk' | 'run'>, Check>> = {
  idempotent: SWITCH,
  timeoutMs: LIMIT,
  maxOutputBytes: LIMIT,
  untrusted: SWITCH,
  readsNothing: SWITCH,
  needsPerson: SWITCH,
  needsAgents: SWITCH,
  keepsChanges: SWITCH,
  preview: FUNCTION,
  alwaysAsks: FUNCTION,
  touches: FUNCTION,
  confinement: FUNCTION,
  needsApproval: FUNCTION,
}
const FIELDS = ['id', 'description', 'parameters', 'risk', 'run', ...Object.keys(OPTIONAL)]
/** What other libraries call them. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['name', 'id'],
  ['inputSchema', 'parameters'],
  ['execute', 'run'],
  ['outputSchema', 'output'],
])

/** Programs without types may hand over anything. */
function findFaults(definition: unknown): FieldError[] {
  if (typeof definition !== 'object' || definition === null)
    return [{ path: '/', message: 'must be an object with id, description, parameters and run' }]
  const given = definition as Record<string, unknown>
  const { id, description, parameters, risk, output, run } = given
  const faults: FieldError[] = []
  const fault = (path: string, message: string): void => void faults.push({ path, message })
  if (typeof id !== 'string' || !TOOL_ID.test(id))
    fault('/id', 'must be a name of 1 to 64 letters, digits, ".", "_" and "-" that begins with a letter')
  if (typeof description !== 'string' || description.trim() === '')
    fault('/description', 'must be a text that tells a model what the tool does')
  const unfit = findParametersError(parameters)
  if (unfit !== undefined) fault(`/parameters${unfit.path}`, unfit.message)
  if (risk !== undefined && !ToolRisk.enum.includes(risk as ToolRisk))
    fault('/risk', `must be one of ${ToolRisk.enum.join(', ')}`)
  if (output !== undefined) {
    const wrong = Object(output) === output && isStandard(output as object) ? undefined : findSchemaError(output)
    if (wrong !== undefined) fault(`/output${wrong.path}`, wrong.message)
  }
  if (typeof run !== 'function') fault('/run', 'must be a function of the arguments')
  for (const [name, [fits, mustBe]] of Object.entries(OPTIONAL))
    if (given[name] !== undefined && !fits(given[name])) fault(`/${name}`, `must be ${mustBe}`)
  // An object of a class may have more than a tool has.
  for (const name of isPlain(definition) ? Object.keys(given) : []) {
    if (name === 'output' || FIELDS.includes(name)) continue
    const meant = MEANT.get(name) ?? nearest(name, FIELDS)
    fault(`/${name}`, `is no field of a tool${meant === undefined ? '' : `: did you mean ${meant}?`}`)
  }
  return faults
}
