import { isTerminalEvent, type RunEvent, type Runtime } from '@svc/core'
import type { CommandContext } from '../context.ts'
import { toSafe } from '../io.ts'
import { sayQuestions } from '../questions.ts'
import { countOf } from '../read-options.ts'
import { refuseWords } from '../refuse-words.ts'
import { reloadAtHangup } from '../reload.ts'
import { toDuration } from '../render/time.ts'
import { fit } from '../render/width.ts'
import { catchSignals } from '../signals.ts'

const DRAIN_MS = 30_000
const MOST_RUNS = 1_000

/** `svc worker`: works on what is queued or was left behind in this folder, until a signal; then it drains. */
export default async function worker(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('worker', words, 0)
  const { flags, io } = context
  countOf('concurrency', flags.rest.concurrency, { min: 1, max: MOST_RUNS })
  const started = await context.start({ needsStore: true, claims: 'all', drainMs: DRAIN_MS })
  const { runtime } = started
  const stopReloading = reloadAtHangup(context, started)
  // What it waits for comes from other processes, which keep this one from ending no more than its timers do.
  const alive = setInterval(() => {}, 60_000)
  const questions = sayQuestions(runtime, io)
  const say = createLog(context, runtime)
  const stopListening = runtime.onEvent((event) => {
    say(event)
    questions.show(event)
  })
  let signals: ReturnType<typeof catchSignals> | undefined
  try {
    await context.sayWarnings(runtime)
    if (!flags.quiet) io.err('svc: waiting for runs; Ctrl-C drains\n')
    const reason = await new Promise<string>((resolve) => {
      signals = catchSignals(undefined, resolve)
    })
    if (!flags.quiet) io.err(`svc: ${reason}: what does not end within ${DRAIN_MS / 1000} s is left for others\n`)
    await runtime.close()
    return signals?.exitCode() ?? 0
  } finally {
    clearInterval(alive)
    signals?.stop()
    stopReloading()
    stopListening()
    await runtime.close()
  }
}

/** One line for each run that begins, waits or ends. */
function createLog({ flags, io }: CommandContext, runtime: Runtime): (event: RunEvent) => void {
  const begun = new Map<string, number>()
  const print = (line: { event: string; runId: string; time: string }, text: string): void => {
    if (flags.output !== 'text') io.outJson(line)
    else io.out(`${toSafe(`${line.runId} ${text}`)}\n`)
  }
  return (event) => {
    const { type, runId, time } = event
    const line = { event: type, runId, time }
    if (type === 'run.started' || type === 'run.recovered') {
      if (begun.has(runId)) return
      begun.set(runId, performance.now())
      runtime.runs.get(runId).then(
        ({ task }) => print(line, `${type === 'run.started' ? 'begins' : 'goes on'}: ${fit(task, 50)}`),
        () => print(line, 'begins'),
      )
    } else if (isTerminalEvent(event)) {
      const now = performance.now()
      const ms = now - (begun.get(runId) ?? now)
      begun.delete(runId)
      print(line, `${type.slice('run.'.length)} after ${toDuration(ms)}`)
    }
  }
}
