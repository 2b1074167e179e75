import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AdaptiveOrchestrator, fits, LimitError, ProviderError } from '../src/index.ts'
import { Execution as ExecutionSchema } from '../src/schema.ts'
import { giveTo, planOf, step } from './fixtures/plans.ts'
import { profile, scriptRun } from './fixtures/scripted-run.ts'

const test = suite('every plan comes to its end')

const OUTCOMES = ['ok', 'ok', 'ok', 'outage', 'bad', 'withheld', 'limit', 'empty', 'reopen'] as const
const fail = (code: 'provider_unavailable' | 'provider_bad_response' | 'content_filtered') =>
  new ProviderError(code, 'it failed', { provider: 'scripted' })

const plans = fc.record({
  /** For each step: how its calls turn out, one after the other, and on which earlier steps it depends. */
  steps: fc.array(
    fc.record({
      outcomes: fc.array(fc.constantFrom(...OUTCOMES), { minLength: 1, maxLength: 3 }),
      dependsOn: fc.array(fc.nat({ max: 6 }), { maxLength: 2 }),
      agent: fc.nat({ max: 2 }),
      turns: fc.nat({ max: 3 }),
    }),
    { minLength: 1, maxLength: 7 },
  ),
  concurrency: fc.integer({ min: 1, max: 4 }),
  models: fc.array(fc.constantFrom('one/model', 'two/model'), { minLength: 3, maxLength: 3 }),
})

test('whatever fails, an execution ends with every step over, in order, and within its concurrency', async () => {
  const property = fc.asyncProperty(plans, async ({ steps, concurrency, models }) => {
    const depthOf: number[] = []
    const plan = planOf(
      steps.map(({ dependsOn, agent }, index) => {
        // A plan has at most six steps in a row, one of which ties the loose ends.
        const earlier = [...new Set(dependsOn)].filter((id) => id < index && (depthOf[id] ?? 0) < 4)
        depthOf[index] = 1 + Math.max(0, ...earlier.map((id) => depthOf[id] ?? 0))
        return step(
          `s${index}`,
          earlier.map((id) => `s${id}`),
          { agentId: `agent-${agent + 1}` },
        )
      }),
    )
    const agents = models.map((model, index) => profile(`p${index + 1}`, { model }))
    giveTo(plan, agents)
    const asked = new Map<string, number>()
    let running = 0
    let most = 0
    const run = scriptRun({
      agents,
      model: async ({ stepId = '' }) => {
        const definition = steps[Number(stepId.slice(1))]
        const count = asked.get(stepId) ?? 0
        asked.set(stepId, count + 1)
        most = Math.max(most, ++running)
        for (let turn = 0; turn < (definition?.turns ?? 0); turn++) await Promise.resolve()
        running--
        switch (definition?.outcomes[count] ?? 'ok') {
          case 'outage':
            throw fail('provider_unavailable')
          case 'bad':
            throw fail('provider_bad_response')
          case 'withheld':
            throw fail('content_filtered')
          case 'limit':
            throw new LimitError('budget_exhausted', 'nothing left')
          case 'empty':
            return ''
          case 'reopen':
            return `REOPEN s${Math.max(0, Number(stepId.slice(1)) - 1)}: it is wrong`
          default:
            return `done ${stepId}`
        }
      },
    })
    const execution = await new AdaptiveOrchestrator({ concurrency }).execute(plan, run)
    assert.ok(fits(ExecutionSchema, execution))
    assert.ok(most <= concurrency)
    assert.ok(execution.output !== '')
    assert.ok(execution.steps.every(({ status }) => ['completed', 'failed', 'skipped'].includes(status)))
    if (execution.status === 'completed') assert.is(execution.steps.at(-1)?.status, 'completed')
    else assert.ok(execution.reason !== undefined && execution.error !== undefined)
    const over = new Set<string | undefined>()
    for (const event of run.events()) {
      if (event.type === 'step.started') assert.ok(event.data.dependsOn.every((id) => over.has(id)))
      if (['step.completed', 'step.failed', 'step.skipped'].includes(event.type)) over.add(event.stepId)
    }
    const started = run.of('agent.started').map(({ agentId }) => agentId)
    const ended = [...run.of('agent.completed'), ...run.of('agent.failed')].map(({ agentId }) => agentId)
    assert.ok(started.every((agentId) => ended.includes(agentId)))
  })
  await fc.assert(property, { seed: 20_261_121, numRuns: process.env.SVC_NIGHTLY ? 300 : 100 })
})

test.run()
