import { ERROR_CODES, type ExecutionResult, isTerminal, type RunEvent, type Runtime, type TapTrace } from '@svc/core'
import { promptApprovals } from '../approve.ts'
import type { CommandContext } from '../context.ts'
import { toSafe } from '../io.ts'
import { createProgress } from '../progress/index.ts'
import { readTask } from '../read-task.ts'
import { renderResult } from '../render/result.ts'
import { renderTrace } from '../render/trace.ts'
import { toRequest } from '../run-request.ts'
import { catchSignals } from '../signals.ts'
import plan from './plan.ts'

/** `svc run <task>`: carries a task out. */
export default async function run(context: CommandContext, args: string[]): Promise<number> {
  if (context.flags.dryRun) return plan(context, args)
  const { flags, io } = context
  const task = await readTask(args[0])
  const request = await toRequest(task, 'execute', flags, io)
  const traces: TapTrace[] = []
  const { runtime } = await context.start(flags.traceHooks ? (trace) => traces.push(trace) : undefined)
  const streams = flags.output === 'stream-json'
  try {
    for (const { message } of (await runtime.health()).warnings) io.err(toSafe(`svc: ${message}\n`))
    const progress = createProgress(flags, io)
    const stopListening = runtime.onEvent((event) => {
      if (streams) io.out(`${JSON.stringify(event)}\n`)
      progress.show(event)
    })
    const stopPrompting = io.isInteractive ? promptApprovals(runtime, io, progress) : () => {}
    const { id } = await runtime.runs.create(request)
    const signals = catchSignals(flags.timeoutMs, (reason) => void runtime.runs.cancel(id, reason))
    try {
      const result = await resultOf(runtime, id)
      progress.end()
      if (flags.traceHooks) io.err(toSafe(renderTrace(traces)))
      if (streams) io.out(`${JSON.stringify({ result })}\n`)
      else context.print(result, () => renderResult(result))
      if (flags.output === 'text') sayHowItEnded(result, io.err, flags.quiet)
      return signals.exitCode() ?? exitCodeOf(result)
    } finally {
      signals.stop()
      stopListening()
      stopPrompting()
      progress.end()
    }
  } finally {
    await runtime.close()
  }
}

/** Waits for the end, through any questions to the person. */
async function resultOf(runtime: Runtime, id: string): Promise<ExecutionResult> {
  for (;;) {
    const { status } = await runtime.runs.wait(id)
    if (isTerminal(status)) return (await runtime.runs.result(id)) as ExecutionResult
    await new Promise<void>((resolve) => {
      const stop = runtime.onEvent(({ runId, type }: RunEvent) => {
        if (runId !== id || !/^run\.(resumed|completed|incomplete|failed|cancelled)$/.test(type)) return
        stop()
        resolve()
      })
    })
  }
}

function exitCodeOf({ status, error }: ExecutionResult): number {
  if (status === 'completed') return 0
  if (status === 'incomplete') return 6
  if (status === 'cancelled') return 130
  return error !== undefined && error.code in ERROR_CODES
    ? ERROR_CODES[error.code as keyof typeof ERROR_CODES].exitCode
    : 1
}

function sayHowItEnded(
  { status, error, incomplete, warnings }: ExecutionResult,
  err: (text: string) => void,
  quiet: boolean,
): void {
  const shown = warnings.filter(({ code }) => code !== 'offline_provider')
  if (!quiet) for (const { code, message } of shown) err(toSafe(`svc: warning: ${message} [${code}]\n`))
  if (status === 'incomplete')
    err(toSafe(`svc: incomplete: ${error?.message ?? 'a limit was reached'} [${incomplete?.reason}]\n`))
  else if (status !== 'completed')
    err(
      toSafe(
        `svc: ${status}: ${error?.message ?? 'no reason was given'}${error === undefined ? '' : ` [${error.code}]`}\n`,
      ),
    )
}
