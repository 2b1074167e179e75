/** A run that was made from a plan shows that plan as any other run shows its own. */
import { findErrors } from '@svc/core'
import { PlanResult } from '@svc/core/schema'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openServer } from './fixtures/open-server.ts'
import { pausing, until } from './fixtures/until.ts'

const test = suite('the plan of a run that was made from one')

for (const [status, isEnded] of [
  ['while it works', false],
  ['once it has ended', true],
] as const)
  test(`is answered with its agents and the budget that was split for them ${status}`, async () => {
    const { answer, script } = pausing()
    const world = await openServer({ script })
    const task = 'What is 6 times 7?'
    const planned = await world.ask('POST', '/execute', {
      body: { task, mode: 'plan', options: { topology: 'SEQUENTIAL' } },
    })
    if (isEnded) answer()
    const before = world.provider.requests.length
    const made = (await world.ask('POST', '/v1/runs', { body: { task, plan: planned.json.plan } })).json
    if (isEnded) await world.runtime.runs.wait(made.id as string)
    await until(() => world.provider.requests.length > before)
    const answered = await world.ask('GET', `/v1/runs/${made.id}/plan`)
    answer()
    assert.is(answered.status, 200, answered.text)
    assert.equal(findErrors(PlanResult, answered.json), [])
    const { plan, budget, complexity, agents } = answered.json as unknown as PlanResult
    assert.equal(plan, planned.json.plan)
    assert.equal(
      budget.shares.map(({ agentId }) => agentId),
      plan.agents.map(({ agentId }) => agentId),
    )
    assert.is(agents.length, plan.agents.length)
    assert.is(complexity.taskId, made.id)
    assert.match(complexity.explanation.join(), 'The plan was given')
    await world.runtime.runs.wait(made.id as string)
    const { json } = await world.ask('GET', `/v1/runs/${made.id}?include=plan`)
    assert.equal(json.plan, plan)
    await world.close()
  })

test.run()
