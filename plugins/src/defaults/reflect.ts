import { definePlugin, type Inputs, type JudgeOptions, ReflectionEngine, type RunContext } from '@svc/core'
import { mediaOf, toFullText } from '@svc/core/text'

export interface ReflectOptions {
  /** Who checks the answers. Default: a new `ReflectionEngine`. */
  engine?: Pick<ReflectionEngine, 'evaluate'>
  /** Also asks a model about the acceptance criteria; not of deterministic providers. Default false. */
  llm?: boolean
  /** `provider/model` of the judges, in turn; best of another family than the agents'. Default: the run's model. */
  models?: readonly string[]
}

/**
 * Answers `reflect`: is the answer good enough, and does it say only what was done and read?
 *
 * By rules and, with `llm`, by a judge. Leaves an earlier answer alone, and runs with `reflect: false`.
 */
export const reflect = definePlugin('reflect', ({ hooks }, options: ReflectOptions) => {
  const { engine = new ReflectionEngine(), llm = false, models = [] } = options
  hooks.reflect.tapPromise('reflect', async (answer, { task, plan, execution }, run) => {
    if (answer !== undefined || run.options.reflect === false) return answer
    const { options: asked } = run
    return engine.evaluate(
      {
        task: withRisk(task, run),
        output: execution.output,
        data: execution.data,
        outputSchema: asked.outputSchema,
        plan,
        events: run.events(),
        view: run.view,
        attempt: run.attempt,
        sources: [
          toFullText(asked.context ?? ''),
          ...run.recalled
            .filter(({ source }) => source.origin === 'user' && source.runId === undefined)
            .map(({ content }) => content),
        ],
        withMedia: mediaOf(asked.context).length > 0,
        // A provider that knows nothing itself can only repeat what it has read.
        grounded: run.deterministic,
        // What stopped a run that did not come to its end would stop it again.
        mayRetry: execution.status === 'completed',
        judge: llm && execution.status === 'completed' ? judgeFor(run, models) : undefined,
      },
      run,
    )
  })
})

const withRisk = (task: Inputs['reflect']['task'], { options: { riskLevel } }: RunContext): typeof task =>
  task.riskLevel === undefined && riskLevel !== undefined ? { ...task, riskLevel } : task

/** A deterministic provider has no opinions: the rules stand alone, without a warning. */
function judgeFor(run: RunContext, models: readonly string[]): JudgeOptions | undefined {
  if (run.deterministic && models.length === 0) return undefined
  return {
    models,
    onUnavailable: (message) =>
      run.warn({ code: 'judge_unavailable', message: `${message}: the answer was judged by rules alone` }),
  }
}
