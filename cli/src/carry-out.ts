import type { Runtime, Warning } from '@svc/core'
import { ERROR_CODES, type ErrorInfo, isTerminal, type RunCreate, type RunEvent, type RunResult } from '@svc/core'
import { promptApprovals } from './approve.ts'
import type { CommandContext } from './context.ts'
import { toSafe } from './io.ts'
import type { Progress } from './progress/progress.ts'
import { catchSignals } from './signals.ts'

/** A result of a run or of a plan, as far as both have it. */
export interface Ended {
  status: string
  error?: ErrorInfo
  incomplete?: { reason: string }
  warnings: Warning[]
}

/**
 * Makes a run, shows it, answers its questions at a terminal, and prints its result.
 *
 * @returns the exit code
 */
export async function carryOut<Result extends RunResult & Ended>(
  context: CommandContext,
  runtime: Runtime,
  request: RunCreate,
  progress: Progress,
  { render, atEnd = () => {} }: { render(result: Result): string; atEnd?(): void },
): Promise<number> {
  const { flags, io, print } = context
  const streams = flags.output === 'stream-json'
  const stopListening = runtime.onEvent((event) => {
    if (streams) io.out(`${JSON.stringify(event)}\n`)
    progress.show(event)
  })
  const stopPrompting = io.isInteractive ? promptApprovals(runtime, io, progress) : () => {}
  let signals: ReturnType<typeof catchSignals> | undefined
  try {
    const { id } = await runtime.runs.create(request)
    const cancel = (reason: string): void => void runtime.runs.cancel(id, reason)
    signals = catchSignals(flags.timeoutMs, cancel)
    if (streams) io.unread.addEventListener('abort', () => cancel('nobody reads the output'), { once: true })
    const result = (await resultOf(runtime, id)) as Result
    stopPrompting()
    progress.end()
    atEnd()
    if (streams) io.out(`${JSON.stringify({ result })}\n`)
    else print(result, () => render(result))
    sayHowItEnded(result, context)
    if (result.status === 'completed') return 0
    return signals.exitCode() ?? exitCodeOf(result)
  } finally {
    signals?.stop()
    stopListening()
    stopPrompting()
    progress.end()
  }
}

/** Waits for the end, through any questions to the person. */
async function resultOf(runtime: Runtime, id: string): Promise<RunResult> {
  for (;;) {
    const { status } = await runtime.runs.wait(id)
    if (isTerminal(status)) return runtime.runs.result(id)
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stop()
        resolve()
      }
      const stop = runtime.onEvent(({ runId, type }: RunEvent) => {
        if (runId === id && /^run\.(resumed|completed|incomplete|failed|cancelled)$/.test(type)) done()
      })
      // It may have gone on between the two looks.
      void runtime.runs.get(id).then((run) => run.status !== 'waiting' && done())
    })
  }
}

function exitCodeOf({ status, error }: Ended): number {
  if (status === 'incomplete') return 6
  if (status === 'cancelled') return 130
  return error !== undefined && error.code in ERROR_CODES
    ? ERROR_CODES[error.code as keyof typeof ERROR_CODES].exitCode
    : 1
}

function sayHowItEnded(
  { status, error, incomplete, warnings }: Ended,
  { io: { err, paint }, flags: { quiet }, hasSaid }: CommandContext,
): void {
  const say = (word: string, message: string, code: string | undefined): void =>
    err(`${word} ${toSafe(message)}${code === undefined ? '' : ` ${paint.dim(`[${toSafe(code)}]`)}`}\n`)
  const shown = quiet ? [] : warnings.filter(({ message }) => !hasSaid(message))
  for (const { code, message } of shown) say(paint.yellow('svc: warning:'), message, code)
  if (status === 'incomplete')
    say(paint.yellow('svc: incomplete:'), error?.message ?? 'a limit was reached', incomplete?.reason)
  else if (status !== 'completed')
    say(paint.red(`svc: ${status}:`), error?.message ?? 'no reason was given', error?.code)
}
