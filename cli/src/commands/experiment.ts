import type { ExperimentOutcome, PreparedExperiment } from '@svc/sdk/experiment'
import type { CommandContext } from '../frame/context.ts'
import { catchSignals } from '../frame/signals.ts'
import { defined } from '../line/given-options.ts'
import { invalid } from '../line/wrong.ts'
import { createExperimentProgress, describeEstimate, describeSpent } from '../progress/experiment.ts'
import { placesOf, toModelConfig } from '../session/start-own.ts'

const INCOMPLETE = 6
const UNREACHED = 5

/** `svc experiment <file>`: measures what changes where one component is swapped. */
export default async function experiment(context: CommandContext, [path = '']: string[]): Promise<number> {
  const { flags, io } = context
  const [isReport, isFresh] = [flags.own.is('report'), flags.own.is('fresh')]
  if (isReport && (isFresh || flags.dryRun)) throw invalid('report', 'runs nothing: leave out the other option')
  const prepared = await prepare(context, path)
  if (isReport) {
    await prepared.scorer.close?.()
    return report(context, prepared)
  }
  const { estimate, runExperiment } = await import('@svc/sdk/experiment')
  const forecast = estimate(prepared, { fresh: isFresh })
  if (flags.dryRun) {
    await prepared.scorer.close?.()
    const { folder, design } = prepared
    context.print({ name: design.name, hash: design.hash, folder, ...forecast }, () =>
      describeEstimate(prepared, forecast),
    )
    return 0
  }
  if (!flags.quiet) io.err(`${describeEstimate(prepared, forecast)}\n`)
  const stopping = new AbortController()
  const signals = catchSignals(undefined, () => stopping.abort())
  const progress = createExperimentProgress(flags, io)
  let outcome: ExperimentOutcome
  try {
    outcome = await runExperiment(prepared, { signal: stopping.signal, fresh: isFresh, onProgress: progress.show })
  } finally {
    progress.end()
    signals.stop()
  }
  const code = sayEnd(context, outcome, path)
  if (outcome.done > 0) await report(context, prepared)
  return signals.exitCode() ?? code
}

async function prepare({ flags, io }: CommandContext, path: string): Promise<PreparedExperiment> {
  const { prepareExperiment } = await import('@svc/sdk/experiment')
  const { own } = flags
  const prepared = await prepareExperiment(path, {
    env: { ...io.env },
    flags: toModelConfig(flags),
    arms: own.list('arm'),
    ...placesOf(flags),
    ...defined({
      out: own.text('out'),
      limit: own.count('limit', 1),
      concurrency: own.count('concurrency', 1, 64),
    }),
  })
  for (const message of prepared.warnings) if (!flags.quiet) io.err(`${io.paint.yellow('svc:')} ${message}\n`)
  return prepared
}

/** Says why it ended before its end, and how to go on. @returns the exit code */
function sayEnd({ io, flags }: CommandContext, outcome: ExperimentOutcome, path: string): number {
  const { done, total, outside, spent, stopped, lastError } = outcome
  const say = (text: string): void => io.err(`${io.paint.yellow('svc:')} ${text}\n`)
  if (!flags.quiet) io.err(`${done} of ${total} runs are recorded, ${describeSpent(spent)} so far\n`)
  if (done === total) return 0
  const again = `svc experiment ${path}`
  if (stopped === 'signal') say(`stopped; ${again} goes on where it was`)
  else if (stopped === 'budget')
    say(`the budget of the experiment does not allow another run: raise /budget, and ${again} goes on`)
  else
    say(
      `${outside} runs failed for no fault of an arm (${lastError ?? 'no reason was given'}): ${again} makes them again`,
    )
  return stopped === 'budget' ? INCOMPLETE : UNREACHED
}

async function report(context: CommandContext, { folder }: PreparedExperiment): Promise<number> {
  const { writeReports, toVerdicts } = await import('@svc/sdk/experiment')
  const { report, files } = writeReports(folder)
  context.print(report, () => [...toVerdicts(report), '', ...files].join('\n'))
  return 0
}
