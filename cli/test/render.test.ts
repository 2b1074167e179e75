/** What a plan and the plugins look like to a person. */
import type { PlanResult, TapInfo } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { why } from '../src/commands/plugins.ts'
import { renderPlan } from '../src/render/plan.ts'

const test = suite('render')

const OBJECTIVE = 'List every export of the package and say what each one is for.'

function planOf(acceptance: string[]): PlanResult {
  const step = { id: 'step-1', agentId: 'agent-1', objective: OBJECTIVE, dependsOn: [], acceptance, tools: [] }
  return {
    plan: { topology: 'SINGLE', agents: [], steps: [step], criticalPath: [], warnings: [] },
    budget: { total: 100, shares: [] },
    complexity: { score: 0.2 },
  } as unknown as PlanResult
}

test('a plan says an objective once, and when it is done only where the plan says more than that it is answered', () => {
  const byDefault = renderPlan(planOf([`answers: ${OBJECTIVE}`]))
  assert.is(byDefault.split(OBJECTIVE).length, 2, byDefault)
  assert.not.match(byDefault, /done when/)
  assert.match(renderPlan(planOf(['Each export is named.'])), /done when: Each export is named\./)
})

test('a plugin in the slot of a default is not said to answer before it', () => {
  const tap: TapInfo = { hook: 'analyze', plugin: 'own', name: 'own', stage: 0, mandatory: false, source: 'config' }
  assert.is(why(tap, new Set(['own'])), "stands in the default's slot")
  assert.is(why(tap, new Set()), 'answers before the default')
  assert.is(why({ ...tap, source: 'built in' }, new Set()), 'default: answers when nobody did before')
  assert.is(why({ ...tap, stage: 1000 }, new Set(['own'])), 'amends the answer')
  assert.is(why({ ...tap, mandatory: true }, new Set(['own'])), 'mandatory: asked last, its answer stands')
})

test.run()
