import { ValidationError } from '@svc/core'
import type { ExperimentOutcome, PreparedExperiment } from '@svc/sdk/experiment'
import type { CommandContext } from '../context.ts'
import { createExperimentProgress, describeEstimate, describeSpent } from '../experiment-progress.ts'
import { invalid } from '../flags.ts'
import { countOf, textOf } from '../read-options.ts'
import { refuseWords } from '../refuse-words.ts'
import { catchSignals } from '../signals.ts'
import { toModelConfig } from '../start-own.ts'

const INCOMPLETE = 6
const UNREACHED = 5

/** `svc experiment <file>`: measures what changes where one component is swapped; `topology` reads what was measured. */
export default async function experiment(context: CommandContext, words: string[]): Promise<number> {
  if (words[0] === 'topology') return (await import('./experiment/topology.ts')).default(context, words.slice(1))
  const { flags, io } = context
  const [path] = words
  if (path === undefined)
    throw new ValidationError('validation_failed', 'svc experiment needs a file, such as experiment.yaml')
  refuseWords('experiment', words, 1)
  const isReport = flags.rest.report === true
  for (const other of ['fresh', 'dryRun'] as const)
    if (isReport && flags.rest[other] === true) throw invalid('report', 'runs nothing: leave out the other option')
  const prepared = await prepare(context, path)
  if (isReport) {
    await prepared.scorer.close?.()
    return report(context, prepared)
  }
  const { estimate, runExperiment } = await import('@svc/sdk/experiment')
  const isFresh = flags.rest.fresh === true
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
  const { rest } = flags
  const limit = countOf('limit', rest.limit, { min: 1, max: Number.MAX_SAFE_INTEGER })
  const concurrency = countOf('concurrency', rest.concurrency, { min: 1, max: 64 })
  const out = textOf(rest.out)
  const prepared = await prepareExperiment(path, {
    env: { ...io.env },
    flags: toModelConfig(flags),
    arms: Array.isArray(rest.arm) ? rest.arm : [],
    ...(flags.cwd === undefined ? {} : { cwd: flags.cwd }),
    ...(flags.trust ? { trust: true } : {}),
    ...(flags.config === undefined ? {} : { configFile: flags.config }),
    ...(out === undefined ? {} : { out }),
    ...(limit === undefined ? {} : { limit }),
    ...(concurrency === undefined ? {} : { concurrency }),
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
