import { definePlugin, type Inputs, type ReaderOptions, ReflectionEngine, type RunContext } from '@svc/core'
import { mediaOf, toGiven } from '@svc/core/text'

export interface ReflectOptions {
  /** Who checks the answers. Default: a new `ReflectionEngine`. */
  engine?: Pick<ReflectionEngine, 'evaluate'>
  /**
   * Whether a model reads the statements that the rules left open, in one call an attempt: `'auto'` in runs that are
   * `strict` or of high or critical risk, `true` in every run, `false` never. A deterministic provider is never asked.
   * Default `'auto'`.
   */
  llm?: boolean | 'auto'
  /** `provider/model` of the reader, the first one; best of another family than the agents'. Default: `smallModel` of the config, else the run's model. */
  models?: readonly string[]
}

/**
 * Answers `reflect`: is the answer good enough, and does it say only what was done and read?
 *
 * By rules and, as `llm` says, by a model whose words count only with quotations of the run's log. Leaves an earlier answer
 * alone, and runs with `reflect: false`.
 */
export const reflect = definePlugin('reflect', ({ hooks }, options: ReflectOptions) => {
  const { engine = new ReflectionEngine(), llm = 'auto', models = [] } = options
  hooks.reflect.tapPromise('reflect', async (answer, { task: given, plan, execution }, run) => {
    if (answer !== undefined || run.options.reflect === false) return answer
    const { options: asked } = run
    const task = withRisk(given, run)
    const isRead = llm === 'auto' ? asked.strict === true || isRisky(task) : llm
    return engine.evaluate(
      {
        task,
        output: execution.output,
        data: execution.data,
        outputSchema: asked.outputSchema,
        plan,
        events: run.events(),
        view: run.view,
        attempt: run.attempt,
        sources: toGiven(run),
        withMedia: [asked, ...run.thread].some(({ context }) => mediaOf(context).length > 0),
        // A provider that knows nothing itself can only repeat what it has read.
        grounded: run.deterministic,
        // What stopped a run that did not come to its end would stop it again.
        mayRetry: execution.status === 'completed',
        reader: isRead && execution.status === 'completed' ? readerFor(run, models) : undefined,
      },
      run,
    )
  })
})

const withRisk = (task: Inputs['reflect']['task'], { options: { riskLevel } }: RunContext): typeof task =>
  task.riskLevel === undefined && riskLevel !== undefined ? { ...task, riskLevel } : task

const isRisky = ({ riskLevel }: Inputs['reflect']['task']): boolean => riskLevel === 'high' || riskLevel === 'critical'

/** A deterministic provider has no opinions: the rules stand alone, without a warning. */
function readerFor(run: RunContext, chosen: readonly string[]): ReaderOptions | undefined {
  const models = chosen.length > 0 || run.smallModel === '' ? chosen : [run.smallModel]
  if (run.deterministic && models.length === 0) return undefined
  return {
    models,
    onUnavailable: (message) =>
      run.warn({ code: 'reader_unavailable', message: `${message}: the answer was judged by rules alone` }),
  }
}
