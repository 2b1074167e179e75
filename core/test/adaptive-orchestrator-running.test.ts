import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findIdleAgent } from '../src/components/adaptive-orchestrator/running/find-idle-agent.ts'
import { Tally } from '../src/components/adaptive-orchestrator/running/state/tally.ts'
import type { Worker } from '../src/components/adaptive-orchestrator/workers.ts'
import type { ModelAnswer } from '../src/index.ts'
import { step } from './fixtures/plans.ts'

const test = suite('parts of running a plan')

const answer = (costUsd: number | null, model = 'm'): ModelAnswer => ({
  text: '',
  toolCalls: [],
  finishReason: 'stop',
  usage: { inputTokens: 3, outputTokens: 2, estimated: false },
  costUsd,
  provider: 'p',
  model,
  latencyMs: 0,
})

test('a tally adds up usage and cost, and a cost without price stays without price', () => {
  const tally = new Tally()
  tally.add('s1', 'priced', answer(0.1))
  tally.add('s2', 'priced', answer(0.2, 'other'))
  for (const cost of [0.1, null, 0.2]) tally.add('s3', 'half', answer(cost))
  assert.equal([tally.costOf('priced'), tally.costOf('half'), tally.costOf('nobody')], [0.1 + 0.2, null, 0])
  assert.equal([tally.tokensOf('priced'), tally.tokensOf('half'), tally.tokensOf('nobody')], [10, 15, 0])
  assert.equal([tally.ofStep('s1').inputTokens, tally.ofStep('s3').inputTokens, tally.count], [3, 9, 5])
  assert.equal([tally.modelOf('priced'), tally.modelOf('nobody')], ['p/other', undefined])
})

const worker = (agentId: string, profileId: string, tools = ['*']): Worker => ({
  agentId,
  name: agentId,
  role: 'worker',
  profileId,
  candidate: { id: profileId, name: profileId, role: 'worker', abilities: 'maps', tools },
  model: '',
  maxConcurrent: 1,
})

test('an idle agent is one that is idle, as suitable as the busy one, and has the tools', () => {
  const workers = new Map(
    [worker('own', 'ann'), worker('busy', 'ann'), worker('toolless', 'ann', ['read']), worker('free', 'bob')].map(
      (one) => [one.agentId, one],
    ),
  )
  const find = (idle: string[]): string | undefined =>
    findIdleAgent(step('a', [], { objective: 'draw maps', tools: ['draw'] }), 'own', workers, (id) => idle.includes(id))
      ?.agentId
  assert.is(find(['own', 'toolless', 'free']), 'free')
  assert.is(find(['busy', 'free']), 'busy')
  assert.is(find(['own', 'toolless']), undefined)
})

test.run()
