import { mustFit, TOOL_SLUG } from '../contracts/ids.ts'
import { toText } from '../contracts/model/message-text.ts'
import type { Tool } from '../contracts/tool/tool.ts'
import { ToolRisk } from '../contracts/words.ts'
import { SvcError } from '../errors.ts'
import { checkArguments } from '../runtime/calls/tools/tool-arguments.ts'
import { toContent } from '../runtime/calls/tools/tool-content.ts'
import { toJsonSchema } from '../runtime/standard-schema.ts'
import { fits } from '../validate.ts'
import { differing } from './conformance/compare-calls.ts'
import { describeThrown, findSlow, RuleBook, type RuleOptions } from './conformance/rules.ts'
import { sampleOf } from './conformance/sample.ts'
import { isRefusal, watchWorld } from './conformance/scope.ts'
import { type Called, callTool, inWorkspace, type ToolCallOptions } from './conformance/tool-call.ts'

export interface ToolCheckOptions extends RuleOptions {
  /** Arguments with which it works. Default: small values that fit its parameters, with which it may fail. */
  args?: unknown
  /** Arguments that its parameters must refuse. Default: `args` without each that is required. */
  badArgs?: readonly unknown[]
  /** Arguments of a call that goes on until it is aborted. Default `args`. */
  slowArgs?: unknown
  /** Puts into the workspace of each call what the arguments name. Default a file `notes.md`. */
  prepare?: (workspace: string) => void | Promise<void>
  /** How often the tool has acted so far, for a tool that says `idempotent`. */
  countActs?: () => number | Promise<number>
  /** Default 100: how long a call may go on after its abort. */
  abortWithinMs?: number
  /** Default 5 000: how long a call may take. */
  settleWithinMs?: number
}

const RULES = {
  id: 'its id is a slug, and it says what it does',
  parameters: 'its parameters are a schema that accepts good arguments and refuses bad ones',
  answers: 'it works with the example arguments, within its time',
  output: 'what it returns is JSON, and no longer than it says',
  risk: 'its risk names what it does',
  looks: 'preview, touches, alwaysAsks and confinement have no effect',
  workspace: 'a path outside of the workspace is refused with path_outside_root',
  cancels: 'it stops soon after an abort',
  idempotent: 'two calls with one idempotency key act once',
  gateways: 'it uses the network through context.fetch alone, and leaves process.env and the working folder alone',
  state: 'nothing of one call is in the answer of another',
}
type ToolRule = keyof typeof RULES

const MAX_OUTPUT_BYTES = 65_536

interface ToolUnderTest {
  book: RuleBook<ToolRule>
  tool: Tool
  makeTool: () => Tool | Promise<Tool>
  args: unknown
  /** Whether somebody said that it works with these arguments. */
  isGiven: boolean
  options: ToolCheckOptions
  call(args?: unknown, options?: ToolCallOptions & { tool?: Tool }): Promise<Called>
}

/**
 * Tests a tool against its contract, in workspaces of its own and with a `fetch` that reaches nobody.
 *
 * What a tool must not do, such as to open a connection by itself or, with the risk `read`, to write a file, is refused and
 * noted. A tool of risk `write`, `execute` or `destructive` does what it does, with the arguments that are given.
 *
 * @param makeTool makes one for each check
 * @returns what is wrong, one sentence each, with its rule in front; empty when all is well
 */
export async function checkTool(
  makeTool: () => Tool | Promise<Tool>,
  options: ToolCheckOptions = {},
): Promise<string[]> {
  const book = new RuleBook<ToolRule>(RULES)
  const tool = await makeTool()
  const { settleWithinMs = 5_000, prepare } = options
  const isGiven = options.args !== undefined
  const args = isGiven ? options.args : sampleOf(toJsonSchema(tool.parameters))
  const call: ToolUnderTest['call'] = (given = args, { tool: made, ...how } = {}) =>
    inWorkspace(prepare, (workspace) => callTool(made ?? tool, given, workspace, { settleWithinMs, ...how }))
  const check: ToolUnderTest = { book, tool, makeTool, args, isGiven, options, call }
  const stop = watchWorld()
  try {
    checkWords(check)
    await checkParameters(check)
    const called = await call()
    judgeCall(check, called)
    await checkLooks(check)
    await checkWorkspace(check)
    await checkCancels(check)
    await checkIdempotent(check)
    await checkState(check, called)
  } finally {
    stop()
  }
  return book.end(options)
}

function checkWords({ book, tool }: ToolUnderTest): void {
  if (!TOOL_SLUG.test(tool.id)) book.add('id', `"${tool.id}" must ${mustFit(TOOL_SLUG.source)}`)
  if (tool.description.trim() === '') book.add('id', 'its description is empty')
  if (!fits(ToolRisk, tool.risk)) book.add('risk', `"${tool.risk}" is no risk: use ${ToolRisk.enum.join(', ')}`)
}

async function checkParameters({ book, tool, args, options }: ToolUnderTest): Promise<void> {
  const schema = toJsonSchema(tool.parameters)
  if (schema.type !== 'object' && schema.properties === undefined)
    book.add('parameters', 'they describe no object, and a model gives an object')
  const accepted = await checkArguments(tool, args)
  for (const { path, message } of accepted.errors ?? [])
    book.add('parameters', `they refuse the example arguments: ${path || '/'} ${message}`)
  const required = Array.isArray(schema.required) ? schema.required.map(String) : []
  const without = (name: string): unknown =>
    Object.fromEntries(Object.entries((args ?? {}) as object).filter(([each]) => each !== name))
  for (const bad of options.badArgs ?? required.map(without)) {
    if ((await checkArguments(tool, bad)).errors === undefined)
      book.add('parameters', `they accept ${JSON.stringify(bad)?.slice(0, 200)}`)
  }
}

/** What one call with the example arguments shows. */
function judgeCall({ book, tool, isGiven }: ToolUnderTest, called: Called): void {
  const { thrown, settled, effects, fetched, envReads, envChanges, returned } = called
  if (!settled) book.add('answers', 'it did not settle')
  else if (thrown !== undefined && !isRefusal(thrown)) {
    const what = `it threw ${describeThrown(thrown)}`
    if (isGiven) book.add('answers', `with the example arguments ${what}`)
    else book.skip('answers', `${what} for made-up arguments: give arguments with which it works`)
  }
  if (thrown !== undefined || !settled) book.skip('output', 'it returned nothing')
  else judgeOutput(book, tool, returned)
  const writes = effects.find(({ kind }) => kind === 'write')
  const changesFiles = ['write', 'execute', 'destructive'].includes(tool.risk)
  if (writes !== undefined && !changesFiles) book.add('risk', `its risk is ${tool.risk}, and it called ${writes.by}`)
  if (fetched.length > 0 && (tool.risk === 'read' || tool.risk === 'write'))
    book.add('risk', `its risk is ${tool.risk}, and it fetched ${fetched[0]}`)
  for (const { kind, by } of effects)
    if (kind === 'network' || kind === 'process') book.add('gateways', `it called ${by}`)
  const startsPrograms = effects.some(({ kind }) => kind === 'program')
  // A program is started with an environment, which somebody has to put together.
  for (const name of startsPrograms ? [] : envReads) book.add('gateways', `it read process.env.${name}`)
  for (const name of envChanges) book.add('gateways', `it changed process.env.${name}`)
}

function judgeOutput(book: RuleBook<ToolRule>, { maxOutputBytes = MAX_OUTPUT_BYTES }: Tool, returned: unknown): void {
  try {
    const bytes = Buffer.byteLength(toText(toContent(returned)))
    if (bytes > maxOutputBytes) book.add('output', `it returned ${bytes} bytes, more than ${maxOutputBytes}`)
  } catch (thrown) {
    book.add('output', `what it returned is no JSON: ${describeThrown(thrown)}`)
  }
  const lost = findLost(returned)
  if (lost !== undefined) book.add('output', `JSON cannot hold what it returned at ${lost}`)
}

/** Where a value holds something that JSON drops without a word. */
function findLost(value: unknown, path = '', depth = 0): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol') return path || '/'
  if (value instanceof Map || value instanceof Set) return path || '/'
  if (typeof value === 'number' && !Number.isFinite(value)) return path || '/'
  if (typeof value !== 'object' || value === null || depth > 8) return undefined
  for (const [key, each] of Object.entries(value)) {
    const found = findLost(each, `${path}/${key}`, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

async function checkLooks({ book, tool, args, call }: ToolUnderTest): Promise<void> {
  const looks = (['preview', 'touches', 'alwaysAsks', 'confinement'] as const).filter(
    (each) => tool[each] !== undefined,
  )
  if (looks.length === 0) return book.skip('looks', 'it has none of them')
  for (const look of looks) {
    const asked: Tool = { ...tool, run: async (...given) => tool[look]?.(...given) }
    const { effects, fetched } = await call(args, { tool: asked })
    for (const { kind, by } of effects)
      if (kind === 'write' || kind === 'network') book.add('looks', `${look} called ${by}`)
    if (fetched.length > 0) book.add('looks', `${look} fetched ${fetched[0]}`)
  }
}

const PATH_NAME = /^(path|paths|file|files|folder|directory|dir|cwd|from|to)$|(_|[a-z])(path|file|folder|dir)$/i

/** Arguments that name paths are tried with paths outside. */
async function checkWorkspace({ book, tool, args, call }: ToolUnderTest): Promise<void> {
  const { properties } = toJsonSchema(tool.parameters) as { properties?: Record<string, { type?: unknown }> }
  const names = Object.entries(properties ?? {}).flatMap(([name, { type }]) =>
    PATH_NAME.test(name) && (type === 'string' || type === 'array') ? [name] : [],
  )
  if (names.length === 0) return book.skip('workspace', 'none of its arguments is called like a path')
  for (const name of names) {
    const isList = properties?.[name]?.type === 'array'
    for (const path of ['../outside.txt', '/etc/hostname']) {
      const { thrown } = await call({ ...(args as object), [name]: isList ? [path] : path })
      const code = SvcError.isInstance(thrown) ? thrown.code : undefined
      if (code === 'path_outside_root') continue
      const what = thrown === undefined ? 'it went on' : `it threw ${describeThrown(thrown)}`
      book.add('workspace', `with ${name} "${path}" ${what}`)
    }
  }
}

async function checkCancels({ book, args, options, call }: ToolUnderTest): Promise<void> {
  const { abortWithinMs = 100, slowArgs = args } = options
  for (const stop of ['before', 'during'] as const) {
    const found = await findSlow(abortWithinMs, async () => {
      const { settled, abortedForMs = 0 } = await call(slowArgs, { stop, hangs: true, abortWithinMs })
      return settled ? abortedForMs : Number.POSITIVE_INFINITY
    })
    const when = stop === 'before' ? 'before it began' : 'while it ran'
    if (found !== undefined) book.add('cancels', `aborted ${when}, ${found}`)
  }
}

async function checkIdempotent({ book, tool, args, options, call }: ToolUnderTest): Promise<void> {
  if (tool.idempotent !== true) return book.skip('idempotent', 'it does not say so')
  const { countActs } = options
  if (countActs === undefined) return book.skip('idempotent', 'nothing says how often it has acted')
  const before = await countActs()
  for (let calls = 0; calls < 2; calls++) await call(args)
  const acts = (await countActs()) - before
  if (acts !== 1) book.add('idempotent', `two calls with one idempotency key acted ${acts} times`)
}

async function checkState({ book, tool, makeTool, args, call }: ToolUnderTest, first: Called): Promise<void> {
  if (first.thrown !== undefined || !first.settled) return book.skip('state', 'it returned nothing to compare')
  if (first.effects.some(({ kind }) => kind === 'program'))
    return book.skip('state', 'it starts programs, whose output may differ')
  const again = await call(args, { tool })
  const fresh = await call(args, { tool: await makeTool() })
  for (const [other, when] of [
    [again, 'when it was called again'],
    [fresh, 'of another instance'],
  ] as const) {
    const where = differing(toJson(first), toJson(other))
    if (where !== undefined) book.add('state', `its answer differed at ${where} ${when}, in an equal workspace`)
  }
}

/** Without the folder, which is another one for each call. */
const toJson = ({ returned, workspace }: Called): unknown =>
  JSON.parse(JSON.stringify(returned ?? null).replaceAll(workspace, '<workspace>'))
