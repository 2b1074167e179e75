import type { RunCreate, RunResult, Runtime } from '@svc/core'
import { promptApprovals } from './approve.ts'
import type { CommandContext } from './context.ts'
import { exitCodeOf, type Outcome, reportOutcome } from './outcome.ts'
import type { Progress } from './progress/progress.ts'
import { catchSignals } from './signals.ts'

/**
 * Starts a run, shows its progress, asks the person at a terminal for approvals, and prints its result.
 *
 * @returns the exit code
 */
export async function executeRun<Result extends RunResult & Outcome>(
  context: CommandContext,
  runtime: Runtime,
  request: RunCreate,
  progress: Progress,
  { render, atEnd = () => {} }: { render(result: Result): string; atEnd?(): void },
): Promise<number> {
  const { flags, io, print } = context
  const streams = flags.output === 'stream-json'
  const stopPrompting = io.isInteractive ? promptApprovals(runtime, io, progress) : () => {}
  let signals: ReturnType<typeof catchSignals> | undefined
  try {
    const { id } = await runtime.runs.create(request)
    // A store that fails also ends the run, and the run's own error says so.
    const cancel = (reason: string): void => void runtime.runs.cancel(id, reason).catch(() => {})
    signals = catchSignals(flags.timeoutMs, cancel)
    if (streams) io.unread.addEventListener('abort', () => cancel('nobody reads the output'), { once: true })
    for await (const event of runtime.runs.events(id)) {
      if (streams) io.out(`${JSON.stringify(event)}\n`)
      progress.show(event)
    }
    await runtime.runs.wait(id)
    const result = (await runtime.runs.result(id)) as Result
    stopPrompting()
    progress.end()
    atEnd()
    if (streams) io.out(`${JSON.stringify({ result })}\n`)
    else print(result, () => render(result))
    reportOutcome(result, context)
    if (result.status === 'completed') return 0
    return signals.exitCode() ?? exitCodeOf(result)
  } finally {
    signals?.stop()
    stopPrompting()
    progress.end()
  }
}
