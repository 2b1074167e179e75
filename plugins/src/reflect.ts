import { definePlugin, ReflectionEngine } from '@svc/core'

export interface ReflectOptions {
  /** Judges the answers; default one of its own. Hand one in to share checks. */
  engine?: Pick<ReflectionEngine, 'evaluate'>
}

/** Says whether the answer is good enough, by rules; runs with `reflect: false` are left alone. */
export const reflect = definePlugin('reflect', ({ hooks }, { engine = new ReflectionEngine() }: ReflectOptions) => {
  hooks.reflect.tapPromise('reflect', async (answer, { task, plan, execution }, run) => {
    if (answer !== undefined || run.options.reflect === false) return answer
    const { options } = run
    const reflection = await engine.evaluate(
      {
        task,
        output: execution.output,
        ...(execution.data === undefined ? {} : { data: execution.data }),
        ...(options.outputSchema === undefined ? {} : { outputSchema: options.outputSchema }),
        plan,
        events: run.events(),
        attempt: run.attempt,
        sources: [options.context ?? '', ...run.recalled.map(({ content }) => content)],
        // What stopped a run that did not come to its end would stop it again.
        mayRetry: execution.status === 'completed',
      },
      run,
    )
    if (reflection.checks.every(({ result }) => result === 'na')) {
      run.warn({ code: 'unverified', message: 'no check applies to this answer: nothing in it could be verified' })
    }
    return reflection
  })
})
