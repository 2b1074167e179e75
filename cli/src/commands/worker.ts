import { type EmbeddedRuntime, isTerminalEvent, type RunEvent, type Runtime } from '@svc/core'
import { sayQuestions } from '../ask/questions.ts'
import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import { untilSignal } from '../frame/signals.ts'
import { toDuration } from '../render/time.ts'
import { fit } from '../render/width.ts'
import { openProbes, type Probes } from '../serve/probes.ts'
import { type ReloadOptions, reloadAtHangup } from '../serve/reload.ts'
import { openServiceLog, type ServiceLog } from '../serve/service-log.ts'
import { stayAlive } from '../session/stay-alive.ts'

const DRAIN_MS = 30_000
const MOST_RUNS = 1_000

/** `svc worker`: works on what is queued or was left behind in this folder, until a signal; then it drains. */
export default function worker(context: CommandContext): Promise<number> {
  const { flags, io } = context
  flags.own.count('concurrency', 1, MOST_RUNS)
  const log = openServiceLog(context)
  return context.useOwn({ needsStore: true, claims: 'all', drainMs: DRAIN_MS }, async (started) => {
    const { runtime } = started
    const probes = await openProbes(context, started)
    const stopWatching = probes === undefined ? (await import('@svc/server')).watchStore(runtime) : undefined
    const stopReloading = reloadAtHangup(context, started, reloadingOf(probes))
    const stopListening = await listen(context, runtime, log)
    await context.sayWarnings(runtime)
    if (!flags.quiet) io.err('svc: waiting for runs; Ctrl-C drains\n')
    const stopping = untilSignal()
    try {
      const reason = await stayAlive(stopping.reason)
      if (!flags.quiet) io.err(`svc: ${reason}: what does not end within ${DRAIN_MS / 1000} s is left for others\n`)
      probes?.drain()
      stopWatching?.()
      await runtime.close()
      return stopping.exitCode() ?? 0
    } finally {
      await probes?.close()
      stopping.stop()
      stopReloading()
      stopListening()
    }
  })
}

const FIXED = ['/server/probes']

const reloadingOf = (probes: Probes | undefined): ReloadOptions => ({
  fixed: FIXED,
  ...(probes && { readKeys: probes.readKeys, onReloaded: probes.reload }),
})

/** Says what becomes of runs: to a program as a server does, to people in words. */
async function listen(context: CommandContext, runtime: EmbeddedRuntime, log: ServiceLog): Promise<() => void> {
  if (log.isJson) {
    const { logRuns } = await import('@svc/server')
    return context.flags.quiet ? () => {} : logRuns(runtime, log.write)
  }
  const questions = sayQuestions(runtime, context)
  const say = createLog(context, runtime)
  return runtime.onEvent(
    (event) => {
      say(event)
      questions.show(event)
    },
    { begun: true },
  )
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
