import { isTerminalEvent, type RunEvent, type Runtime } from '@svc/core'
import { sayQuestions } from '../ask/questions.ts'
import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import { untilSignal } from '../frame/signals.ts'
import { toDuration } from '../render/time.ts'
import { fit } from '../render/width.ts'
import { reloadAtHangup } from '../serve/reload.ts'
import { stayAlive } from '../session/stay-alive.ts'

const DRAIN_MS = 30_000
const MOST_RUNS = 1_000

/** `svc worker`: works on what is queued or was left behind in this folder, until a signal; then it drains. */
export default function worker(context: CommandContext): Promise<number> {
  const { flags, io } = context
  flags.own.count('concurrency', 1, MOST_RUNS)
  return context.useOwn({ needsStore: true, claims: 'all', drainMs: DRAIN_MS }, async (started) => {
    const { runtime } = started
    const stopReloading = reloadAtHangup(context, started)
    const questions = sayQuestions(runtime, context)
    const say = createLog(context, runtime)
    const stopListening = runtime.onEvent((event) => {
      say(event)
      questions.show(event)
    })
    await context.sayWarnings(runtime)
    if (!flags.quiet) io.err('svc: waiting for runs; Ctrl-C drains\n')
    const stopping = untilSignal()
    try {
      const reason = await stayAlive(stopping.reason)
      if (!flags.quiet) io.err(`svc: ${reason}: what does not end within ${DRAIN_MS / 1000} s is left for others\n`)
      await runtime.close()
      return stopping.exitCode() ?? 0
    } finally {
      stopping.stop()
      stopReloading()
      stopListening()
    }
  })
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
