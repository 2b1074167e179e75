import type { Tool, ToolGlance } from '../../contracts/tool.ts'
import { SvcError, toSvcError } from '../../errors.ts'
import type { CallContext } from './call-context.ts'

const LOOK_MS = 2_000
const PREVIEW_CHARS = 20_000
const ARGUMENTS_CHARS = 2_000

type Glance<Answer> = (args: unknown, context: ToolGlance) => Promise<Answer>

/**
 * Why a call has to be asked about, by the tool's own word. A tool that cannot tell in time has to be asked about too, but
 * for what the call itself will be refused for.
 */
export async function look(
  run: CallContext,
  alwaysAsks: Glance<string | undefined> | undefined,
  args: unknown,
): Promise<string | undefined> {
  if (alwaysAsks === undefined) return undefined
  try {
    return await bounded(run, alwaysAsks, args)
  } catch (thrown) {
    if (SvcError.isInstance(thrown)) return undefined
    return `the tool could not tell what the call would touch: ${toSvcError(thrown).message}`
  }
}

/** What a person is shown of a call: the tool's preview, else the arguments. */
export async function showCall(run: CallContext, tool: Tool, args: unknown): Promise<string> {
  const whole = `${tool.id} ${JSON.stringify(args)}`.slice(0, ARGUMENTS_CHARS)
  if (tool.preview === undefined) return whole
  try {
    const preview = await bounded(run, tool.preview.bind(tool), args)
    if (typeof preview !== 'string' || preview === '') return whole
    if (preview.length <= PREVIEW_CHARS) return preview
    return `${preview.slice(0, PREVIEW_CHARS)}\n... cut: ${PREVIEW_CHARS} of ${preview.length} characters are shown`
  } catch {
    return whole // what is wrong with the call is said when it is made
  }
}

function bounded<Answer>(run: CallContext, glance: Glance<Answer>, args: unknown): Promise<Answer> {
  const controller = new AbortController()
  return new Promise<Answer>((resolve, reject) => {
    const stop = run.env.deadlines.add(LOOK_MS, () => {
      controller.abort(new Error(`it took longer than ${LOOK_MS / 1000} s`))
      reject(controller.signal.reason)
    })
    const context: ToolGlance = { signal: controller.signal, workspace: run.env.workspace }
    Promise.resolve()
      .then(() => glance(args, context))
      .then(resolve, reject)
      .finally(stop)
  })
}
