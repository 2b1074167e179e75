import type { OpenStep } from '../../../contracts/log/journal.ts'
import type { ContentPart } from '../../../contracts/model/message.ts'
import { toText } from '../../../contracts/model/message-text.ts'
import type { Resolution } from '../../../contracts/run/approval.ts'
import type { ChangedFiles, Confinement, Tool, ToolAnswer, ToolContext } from '../../../contracts/tool/tool.ts'
import { SvcError, ToolError, toSvcError } from '../../../errors.ts'
import { forgettable } from '../../../support/background.ts'
import { digest } from '../../../support/ids.ts'
import { redactError, redactTexts } from '../../../support/secrets.ts'
import { isMedia } from '../../../text/media/media.ts'
import type { CallContext, CallSite } from '../call-context.ts'
import { readsTainted, writesTainted } from './taint-flow.ts'
import { cutContent, toContent } from './tool-content.ts'
import { askModel } from './tool-model.ts'
import type { TouchCheck } from './touch-check.ts'

const DEFAULT_TIMEOUT_MS = 30_000

/** How long a call of a tool may take, in milliseconds. */
export const timeoutOf = ({ timeoutMs = DEFAULT_TIMEOUT_MS }: Tool): number => Math.min(timeoutMs, 2 ** 31 - 1)

/** Under which key a call is made, whose it is, what was said about it, and where it runs. */
export interface ToolCallGrant {
  key: string
  /** As `key`, but where a person had the call made again. */
  recordedAs: string
  site: CallSite
  isApproved: boolean
  touching: TouchCheck
  confinement: Confinement
  /** Whether its agent has read something untrusted. */
  isTainted: boolean
}

/** Where a call that rests while it asks a person goes on from, and how many questions it has asked before that one, of people and models. */
interface Resting {
  from: unknown
  questions: number
  models: number
}

/**
 * One real call of a tool, bounded by its time-out and the run. What the tool threw is in the answer.
 *
 * @throws the signal's reason when the run was stopped
 */
export async function runTool(
  run: CallContext,
  tool: Tool,
  args: unknown,
  how: ToolCallGrant & { step: OpenStep },
): Promise<ToolAnswer> {
  run.stop.throwIfStopped() // it takes its time to record that the call begins
  const { key, site, confinement, isTainted, touching } = how
  const { sandbox, network } = confinement
  const started = performance.now()
  const { env, taintedFiles } = run
  const idempotencyKey = digest(run.facts.originId, key).slice(0, 32)
  const flowing = { tool, args, paths: touching.paths, confinement, isTainted }
  const hasReadTainted = readsTainted(taintedFiles, flowing) // what the call removes is gone when it has ended
  const isMarked = writesTainted(taintedFiles, flowing)
  const marked = isMarked ? { tainted: true } : {}
  run.recorder.emit('tool.started', { tool: tool.id, sandbox, idempotencyKey, ...marked }, site)
  const end = isMarked ? taintedFiles.begin() : undefined
  // What it writes stays tainted where nobody is left to say that it has begun.
  if (isMarked) await run.recorder.flush()
  const files: ChangedFiles = []
  const outcome = (): Pick<ToolAnswer, 'trust' | 'tainted' | 'durationMs'> => ({
    trust: tool.untrusted === true || network ? 'untrusted' : 'trusted',
    ...((hasReadTainted || readsTainted(taintedFiles, flowing)) && { tainted: true }),
    durationMs: elapsed(started),
  })
  try {
    const returned = toContent(await bounded(run, tool, args, { ...how, idempotencyKey, files }))
    end?.(true)
    const limit = Math.min(tool.maxOutputBytes ?? env.toolOutputBytes, env.toolOutputBytes)
    const kept = await keepWhole(run, returned, limit)
    return { callId: site.callId, ok: true, ...kept, ...outcome(), ...(files.length > 0 && { files }) }
  } catch (thrown) {
    end?.(false)
    if (run.stop.signal.aborted) throw run.stop.signal.reason
    const error = redactError(toolError(tool, thrown), env.redact).toInfo()
    return { callId: site.callId, ok: false, content: [], error, bytes: 0, truncated: false, ...outcome() }
  }
}

/** What a model is shown of a result, without secrets, and where the whole is kept if that is less. */
export async function keepWhole(
  { recorder, env }: Pick<CallContext, 'recorder' | 'env'>,
  content: readonly ContentPart[],
  limit: number,
): Promise<Pick<ToolAnswer, 'content' | 'bytes' | 'truncated' | 'ref'>> {
  const whole = content.map((part) => (isMedia(part) ? part : redactTexts(part, env.redact)))
  const cut = cutContent(whole, limit)
  return cut.truncated ? { ...cut, ref: await recorder.keep(Buffer.from(toText(whole))) } : cut
}

/** Settles as the tool does, or rejects at once when its time is up or the run is stopped. */
function bounded(
  run: CallContext,
  tool: Tool,
  args: unknown,
  {
    recordedAs,
    idempotencyKey,
    site,
    isApproved,
    touching,
    files,
    step,
  }: ToolCallGrant & { step: OpenStep; idempotencyKey: string; files: ChangedFiles },
): Promise<unknown> {
  const { env } = run
  const timeoutMs = timeoutOf(tool)
  return new Promise((resolve, reject) => {
    let controller: AbortController | undefined
    let ended: { reason: unknown } | undefined
    let stopTimer: () => void = () => {}
    let stopWatching: () => void = () => {}
    const noted = step.noted as Resting | undefined
    let questions = noted?.questions ?? 0
    let models = noted?.models ?? 0
    const settle = (): void => {
      stopTimer()
      stopWatching()
    }
    const end = (reason: unknown): void => {
      ended = { reason }
      settle()
      controller?.abort(reason)
      reject(reason)
    }
    stopTimer = env.deadlines.add(timeoutMs, () =>
      end(new ToolError('tool_timeout', `${tool.id} did not finish within ${timeoutMs / 1000} s`)),
    )
    stopWatching = run.stop.onStop(end)
    const context: ToolContext = {
      // Made when the tool asks for it: most read a file and are done.
      get signal() {
        controller ??= new AbortController()
        if (ended !== undefined) controller.abort(ended.reason)
        return controller.signal
      },
      workspace: env.workspace,
      idempotencyKey,
      agentId: site.agentId,
      owner: run.facts.owner,
      isApproved,
      check: (touch) => touching.check(touch),
      get closedPaths() {
        return touching.closedPaths
      },
      fetch: (input, init) => env.fetch(input, init, (host) => touching.check({ host })),
      wrote: (path, bytes) => void files.push({ path, bytes }),
      keepForUndo: run.fileChanges.begin(site),
      log: (message) => run.recorder.emit('log.line', { level: 'info', message: env.redact(message) }, site),
      output: (chunk) => run.recorder.emit('tool.output', { stream: 'stdout', chunk: env.redact(chunk) }, site),
      ask: (request, from) => {
        const wait = askKey(recordedAs, ++questions)
        if (from === undefined || run.facts.options.approval !== 'wait') return run.control.ask(request, wait)
        const rest: Resting = { from, questions: questions - 1, models }
        return forgettable(askAtRest(step, rest, () => run.control.ask(request, wait)))
      },
      resumed: noted?.from,
      model: (request) => forgettable(askModel(run, site, `${recordedAs}/model-${++models}`, request)),
    }
    let work: Promise<unknown>
    try {
      work = Promise.resolve(tool.run(args, context))
    } catch (thrown) {
      work = Promise.reject(thrown)
    }
    work.then(
      (value) => {
        settle()
        resolve(value)
      },
      (thrown) => {
        settle()
        reject(thrown)
      },
    )
  })
}

/** Asks while nothing of a call is under way, and says so in the journal. */
async function askAtRest(step: OpenStep, rest: Resting, ask: () => Promise<Resolution>): Promise<Resolution> {
  await step.rest(rest)
  const resolution = await ask()
  await step.act()
  return resolution
}

/** Of what a call asks a person. */
export const askKey = (key: string, count: number): string => `${key}/ask-${count}`

/** What a tool threw, as an error of svc. */
export function toolError(tool: Tool, thrown: unknown): SvcError {
  if (SvcError.isInstance(thrown)) return thrown
  return new ToolError('tool_failed', `${tool.id} failed: ${toSvcError(thrown).message}`, { cause: thrown })
}

const elapsed = (started: number): number => Math.round(performance.now() - started)
