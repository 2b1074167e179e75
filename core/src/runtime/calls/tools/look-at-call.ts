import type { ClosedPaths, Confinement, Tool, ToolGlance, Touched } from '../../../contracts/tool/tool.ts'
import { SvcError, ToolError, toSvcError } from '../../../errors.ts'
import type { CallContext } from '../call-context.ts'
import { describeCall, describeTouched } from './describe-call.ts'
import { timeoutOf, toolError } from './run-tool.ts'
import type { Arguments } from './tool-arguments.ts'

const PREVIEW_MS = 2_000
const PREVIEW_CHARS = 20_000

const NOTHING_CLOSED: ClosedPaths = { globs: [], has: () => false }
/** How a line of `describeTouched` begins. */
const PLACE = /^(?:path|host|command): /
const LATE = Symbol('late')

type Glance<Answer> = (args: unknown, context: ToolGlance) => Promise<Answer>

/**
 * Why a call has to be asked about, by the tool's own word. A tool that cannot tell has to be asked about too, but for what
 * the call itself will be refused for.
 *
 * @throws ToolError `tool_timeout` where the tool does not say within its own time; why the run was stopped
 */
export async function look(
  run: CallContext,
  tool: Tool,
  args: unknown,
  closedPaths: ClosedPaths,
): Promise<string | undefined> {
  return tool.alwaysAsks && waitFor(run, tool, tool.alwaysAsks.bind(tool), args, closedPaths)
}

/** What a tool says of the approval of one call: why to ask, why it is denied, or that nobody has to be asked. */
export interface Need {
  ask?: string
  deny?: string
  isWaived?: true
}

/**
 * Whether a call needs approval, by the tool's own word. A tool that throws, or says anything else, has it denied.
 *
 * @throws as `look`
 */
export async function lookAtNeed(run: CallContext, tool: Tool, args: unknown): Promise<Need> {
  if (tool.needsApproval === undefined) return {}
  const ask = async (given: unknown, context: ToolGlance): Promise<unknown> => tool.needsApproval?.(given, context)
  const said = bounded(run, ask, args, timeoutOf(tool)).catch((thrown: unknown) => {
    run.stop.throwIfStopped()
    return new Error(toSvcError(thrown).message)
  })
  const need = await inTime(tool, said)
  if (need === false) return { isWaived: true }
  if (need === true) return { ask: `${tool.id} asks before this call` }
  if (typeof need === 'string' && need !== '') return { ask: need }
  const why = need instanceof Error ? `failed: ${need.message}` : 'said neither true, false nor why'
  return { deny: `needsApproval of ${tool.id} ${why}` }
}

/**
 * What a call touches, by the tool's own word; undefined where it does not say, a text why the call has to be asked about.
 *
 * @throws as `look`
 */
export async function lookAtTouched(
  run: CallContext,
  tool: Tool,
  args: unknown,
): Promise<Touched | string | undefined> {
  return tool.touches && waitFor(run, tool, tool.touches.bind(tool), args)
}

/** What a tool says of a call. A slow machine is no reason to deny one, so it is waited for as the call itself would be. */
async function waitFor<Answer>(
  run: CallContext,
  tool: Tool,
  glance: Glance<Answer>,
  args: unknown,
  closedPaths?: ClosedPaths,
): Promise<Answer | string | undefined> {
  const said = bounded(run, glance, args, timeoutOf(tool), closedPaths).catch((thrown: unknown) => {
    run.stop.throwIfStopped()
    return SvcError.isInstance(thrown) ? undefined : cannotTell(thrown)
  })
  return inTime(tool, said)
}

/**
 * Where a call runs a program.
 *
 * @throws as `look`; ToolError `tool_failed` for what else the tool threw
 */
export async function lookAtConfinement(run: CallContext, tool: Tool, args: unknown): Promise<Confinement> {
  if (tool.confinement === undefined) return { sandbox: 'none', network: false }
  const said = bounded(run, tool.confinement.bind(tool), args, timeoutOf(tool)).catch((thrown: unknown) => {
    run.stop.throwIfStopped()
    throw toolError(tool, thrown)
  })
  return inTime(tool, said)
}

async function inTime<Answer>(tool: Tool, said: Promise<Answer | typeof LATE>): Promise<Answer> {
  const answer = await said
  if (answer !== LATE) return answer
  throw new ToolError(
    'tool_timeout',
    `${tool.id} did not say within ${timeoutOf(tool) / 1000} s what the call would touch, and was not run`,
  )
}

const cannotTell = (thrown: unknown): string =>
  `the tool could not tell what the call would touch: ${toSvcError(thrown).message}`

/**
 * What a person is shown of a call: first the paths, hosts and the command that it touches, then the tool's preview, else the
 * arguments.
 */
export async function showCall(
  run: CallContext,
  tool: Tool,
  { args, shown: asJson }: Arguments,
  touched: Touched | undefined,
): Promise<string> {
  const first = touched === undefined ? '' : describeTouched(touched)
  const shown = (await previewOf(run, tool, args)) ?? describeCall(tool, asJson)
  // What the tool itself begins with is no word of ours of what the call touches.
  return first === '' && !PLACE.test(shown) ? shown : `${first}\n\n${shown}`
}

async function previewOf(run: CallContext, tool: Tool, args: unknown): Promise<string | undefined> {
  if (tool.preview === undefined) return undefined
  try {
    const preview = await bounded(run, tool.preview.bind(tool), args, PREVIEW_MS)
    if (typeof preview !== 'string' || preview === '') return undefined
    if (preview.length <= PREVIEW_CHARS) return preview
    return `${preview.slice(0, PREVIEW_CHARS)}\n... cut: ${PREVIEW_CHARS} of ${preview.length} characters are shown`
  } catch {
    return undefined // what is wrong with the call is said when it is made
  }
}

/** Settles as the tool does, with `LATE` when its time is up, or rejects when the run is stopped. */
function bounded<Answer>(
  run: CallContext,
  glance: Glance<Answer>,
  args: unknown,
  timeoutMs: number,
  closedPaths: ClosedPaths = NOTHING_CLOSED,
): Promise<Answer | typeof LATE> {
  const controller = new AbortController()
  let stopTimer: () => void = () => {}
  let stopWatching: () => void = () => {}
  return new Promise<Answer | typeof LATE>((resolve, reject) => {
    stopTimer = run.env.deadlines.add(timeoutMs, () => {
      resolve(LATE)
      controller.abort(new Error(`it took longer than ${timeoutMs / 1000} s`))
    })
    stopWatching = run.stop.onStop((reason) => {
      reject(reason)
      controller.abort(reason)
    })
    const context: ToolGlance = { signal: controller.signal, workspace: run.env.workspace, closedPaths }
    Promise.resolve()
      .then(() => glance(args, context))
      .then(resolve, reject)
  }).finally(() => {
    stopTimer()
    stopWatching()
  })
}
