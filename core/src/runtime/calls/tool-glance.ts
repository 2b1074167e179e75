import type { ClosedPaths, Tool, ToolGlance, Touched } from '../../contracts/tool.ts'
import { SvcError, toSvcError } from '../../errors.ts'
import type { CallContext } from './call-context.ts'
import { describeCall, describeTouched } from './describe-call.ts'

const LOOK_MS = 2_000
const PREVIEW_CHARS = 20_000

const NOTHING_CLOSED: ClosedPaths = { globs: [], has: () => false }

type Glance<Answer> = (args: unknown, context: ToolGlance) => Promise<Answer>

/**
 * Why a call has to be asked about, by the tool's own word. A tool that cannot tell in time has to be asked about too, but
 * for what the call itself will be refused for.
 */
export async function look(
  run: CallContext,
  alwaysAsks: Glance<string | undefined> | undefined,
  args: unknown,
  closedPaths: ClosedPaths,
): Promise<string | undefined> {
  if (alwaysAsks === undefined) return undefined
  try {
    return await bounded(run, alwaysAsks, args, closedPaths)
  } catch (thrown) {
    return SvcError.isInstance(thrown) ? undefined : cannotTell(thrown)
  }
}

/** What a call touches, by the tool's own word; undefined where it does not say, a text why the call has to be asked about. */
export async function lookAtTouched(
  run: CallContext,
  tool: Tool,
  args: unknown,
): Promise<Touched | string | undefined> {
  if (tool.touches === undefined) return undefined
  try {
    return await bounded(run, tool.touches.bind(tool), args)
  } catch (thrown) {
    return SvcError.isInstance(thrown) ? undefined : cannotTell(thrown)
  }
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
  args: unknown,
  touched: Touched | undefined,
): Promise<string> {
  const first = touched === undefined ? '' : describeTouched(touched)
  const shown = (await previewOf(run, tool, args)) ?? describeCall(tool, args)
  return first === '' ? shown : `${first}\n\n${shown}`
}

async function previewOf(run: CallContext, tool: Tool, args: unknown): Promise<string | undefined> {
  if (tool.preview === undefined) return undefined
  try {
    const preview = await bounded(run, tool.preview.bind(tool), args)
    if (typeof preview !== 'string' || preview === '') return undefined
    if (preview.length <= PREVIEW_CHARS) return preview
    return `${preview.slice(0, PREVIEW_CHARS)}\n... cut: ${PREVIEW_CHARS} of ${preview.length} characters are shown`
  } catch {
    return undefined // what is wrong with the call is said when it is made
  }
}

function bounded<Answer>(
  run: CallContext,
  glance: Glance<Answer>,
  args: unknown,
  closedPaths: ClosedPaths = NOTHING_CLOSED,
): Promise<Answer> {
  const controller = new AbortController()
  return new Promise<Answer>((resolve, reject) => {
    const stop = run.env.deadlines.add(LOOK_MS, () => {
      controller.abort(new Error(`it took longer than ${LOOK_MS / 1000} s`))
      reject(controller.signal.reason)
    })
    const context: ToolGlance = { signal: controller.signal, workspace: run.env.workspace, closedPaths }
    Promise.resolve()
      .then(() => glance(args, context))
      .then(resolve, reject)
      .finally(stop)
  })
}
