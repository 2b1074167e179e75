import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  AdaptiveOrchestrator,
  addUsage,
  CancelledError,
  type Execution,
  fits,
  LimitError,
  type Plan,
  ProviderError,
  type Reflection,
  SvcError,
  type Topology,
} from '../src/index.ts'
import { Execution as ExecutionSchema } from '../src/schema.ts'
import { allocation, complexity, planOf, step } from './fixtures/plans.ts'
import { settled, until } from './fixtures/runtimes.ts'
import { profile, type Script, type ScriptedRun, scriptRun } from './fixtures/scripted-run.ts'

const test = suite('execution by the adaptive orchestrator')

const orchestrator = new AdaptiveOrchestrator()
const execute = async (plan: Plan, script: Script): Promise<{ run: ScriptedRun; execution: Execution }> => {
  const run = scriptRun(script)
  const execution = await orchestrator.execute(plan, run)
  assert.ok(fits(ExecutionSchema, execution))
  return { run, execution }
}
const planFor = (description: string, topology: Topology, agents: number): Promise<Plan> =>
  orchestrator.planAsync({ id: 't', description }, complexity(topology, agents), allocation(topology, agents))
const order = (run: ScriptedRun): string[] =>
  run
    .events()
    .filter(({ type }) => type === 'step.started' || type === 'step.completed')
    .map(({ type, stepId }) => `${type === 'step.started' ? '+' : '-'}${stepId}`)
const outage = () => new ProviderError('provider_unavailable', 'the provider is down', { provider: 'scripted' })
const reflection = (evidence: string): Reflection => ({
  verdict: 'revise',
  score: 0.4,
  confidence: 0.9,
  checks: [],
  retry: { reason: 'the sum is wrong', hint: 'add again', evidence: [evidence] },
  lessons: [],
  usage: { inputTokens: 0, outputTokens: 0, estimated: false },
})

test('an answer that says that it does not answer leaves the execution incomplete, not found', async () => {
  const last = async (output: string) => {
    const { execution } = await execute(planOf([step('a'), step('b', ['a'])]), {
      model: ({ stepId }) => (stepId === 'a' ? 'I could not answer this: nothing is there.' : output),
    })
    return [execution.status, execution.reason, execution.error]
  }
  assert.equal(await last('I could not answer this: I found nothing.'), ['incomplete', 'not_found', undefined])
  assert.equal(await last('It is 4. I could not answer this: what it costs.'), ['completed', undefined, undefined])
})

test('parallel steps overlap, at most eight at once', async () => {
  let running = 0
  let most = 0
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
  const { run, execution } = await execute(planOf([...ids.map((id) => step(id)), step('end', ids)]), {
    model: async ({ stepId }) => {
      most = Math.max(most, ++running)
      await settled()
      running--
      return `${stepId} done`
    },
  })
  assert.is(execution.status, 'completed')
  assert.is(most, 8)
  const events = order(run)
  assert.ok(events.indexOf('+b') < events.indexOf('-a'), 'the second starts before the first ends')
})

test('there is no barrier: what follows a fast step starts while a slow sibling runs', async () => {
  const plan = planOf([step('slow'), step('fast'), step('next', ['fast']), step('end', ['slow', 'next'])])
  let isNextAsked = false
  const { execution } = await execute(plan, {
    model: async ({ stepId }) => {
      if (stepId === 'next') isNextAsked = true
      if (stepId === 'slow') await until(() => isNextAsked)
      return 'done'
    },
  })
  assert.is(execution.status, 'completed')
})

test('a plan of one step emits its events once, and draws its graph before and after', async () => {
  const { run } = await execute(await planFor('Say hello', 'SINGLE', 1), { model: () => 'hello' })
  assert.equal(
    run.types().filter((type) => /^(agent|step|topology)\./.test(type)),
    [
      'agent.created',
      'agent.started',
      'step.started',
      'topology.updated',
      'step.completed',
      'agent.completed',
      'topology.updated',
    ],
  )
})

test('outputs of dependencies follow an objective that names none, and none is filled in twice', async () => {
  const plan = planOf([step('a'), step('b', ['a']), step('c', ['b'], { objective: 'use {{b}}' })])
  const { run } = await execute(plan, { model: ({ stepId }) => (stepId === 'a' ? 'alpha {{b}}' : `out ${stepId}`) })
  assert.is(run.requests[1]?.user, 'do b\n\n<result of="a" by="agent-a">\nalpha {{b}}\n</result>')
  assert.is(run.requests[2]?.user, 'use out b')
})

test('instructions of an agent are the whole system message', async () => {
  const plan = {
    ...planOf([step('a')]),
    agents: [{ agentId: 'agent-a', name: 'Ann', role: 'worker', profileId: 'ann' }],
  }
  const agents = [profile('ann', { instructions: '  Speak like a pirate.\n', model: 'p/m', temperature: 0.3 })]
  const { run, execution } = await execute(plan, { model: () => 'arr', agents })
  assert.is(run.requests[0]?.system, '  Speak like a pirate.\n')
  assert.is(run.requests[0]?.user, 'do a')
  assert.equal([run.requests[0]?.model, run.requests[0]?.temperature], ['p/m', 0.3])
  assert.is(execution.agents[0]?.profileId, 'ann')
})

test('a profile that nobody knows is a plan that cannot be executed', async () => {
  const plan = {
    ...planOf([step('a')]),
    agents: [{ agentId: 'agent-a', name: 'x', role: 'worker', profileId: 'ghost' }],
  }
  try {
    await execute(plan, { model: () => 'x' })
    assert.unreachable()
  } catch (thrown) {
    assert.ok(SvcError.isInstance(thrown))
    assert.is(thrown.code, 'plan_invalid')
    assert.is(thrown.errors?.[0]?.path, '/agents/0/profileId')
  }
})

test('usage by step and by agent adds up to what the model answered', async () => {
  const plan = await planFor('Describe the licence of uvu, tapable and stemmer', 'HYBRID', 4)
  let count = 0
  const { run, execution } = await execute(plan, {
    model: () => ({ text: 'words', usage: { inputTokens: ++count, outputTokens: count * 2, estimated: false } }),
  })
  const total = addUsage(...run.answers.map(({ usage }) => usage))
  assert.equal(addUsage(...execution.steps.map(({ usage }) => usage)), total)
  assert.equal(addUsage(...execution.agents.map(({ usage }) => usage)), total)
  assert.is(run.requests.length, 8)
})

test('DECENTRALIZED drafts that agree are decided without a model call', async () => {
  const plan = await planFor('What is 6 times 7?', 'DECENTRALIZED', 3)
  const { run, execution } = await execute(plan, {
    model: ({ agentId }) => (agentId === 'agent-2' ? 'It is 43.' : 'It is 42.'),
  })
  assert.is(run.requests.length, 3)
  assert.is(execution.output, 'It is 42.')
  const vote = run.of('step.completed').at(-1)
  assert.is(vote?.stepId, 'step-4')
  assert.equal(vote?.data.vote, { decidedBy: 'majority', clusters: [['step-1', 'step-3'], ['step-2']] })
})

test('DECENTRALIZED drafts without a majority are decided by a model that sees them all', async () => {
  const plan = await planFor('Name a colour', 'DECENTRALIZED', 3)
  const { run, execution } = await execute(plan, {
    model: ({ stepId, user }) => (stepId === 'step-4' ? `of ${user.match(/<result/g)?.length}` : `colour ${stepId}`),
  })
  assert.is(run.requests.length, 4)
  assert.is(execution.output, 'of 3')
  assert.match(JSON.stringify(run.of('step.completed').at(-1)?.data.vote), /"decidedBy":"model"/)
})

test('results that pass between agents are emitted as events', async () => {
  const { run } = await execute(planOf([step('a'), step('b', ['a'])]), { model: () => 'done' })
  assert.equal(run.of('agent.handoff')[0]?.data, {
    from: 'agent-a',
    to: 'agent-b',
    reason: 'b builds on a',
    payloadRef: 'a',
  })
  assert.equal(run.of('agent.message')[0]?.data.to, ['agent-b'])
  assert.equal(
    run.of('agent.completed').map(({ agentId }) => agentId),
    ['agent-a', 'agent-b'],
  )
  assert.ok(
    run
      .events()
      .filter(({ type }) => type.startsWith('step.'))
      .every(({ stepId }) => stepId !== undefined),
  )
})

test('a cancelled run stops though its model never answers, and its agents are cancelled', async () => {
  const run = scriptRun({ model: () => new Promise(() => {}) })
  const work = orchestrator.execute(planOf([step('a'), step('b')]), run)
  await settled()
  run.controller.abort(new CancelledError('cancelled', 'by a person'))
  try {
    await work
    assert.unreachable()
  } catch (thrown) {
    assert.is((thrown as SvcError).code, 'cancelled')
  }
  assert.is(run.of('agent.cancelled').length, 2)
})

test('a halt ends with what was said so far', async () => {
  const run = scriptRun({
    model: ({ stepId }) => (stepId === 'a' ? 'half of it' : new Promise(() => {})),
  })
  const work = orchestrator.execute(planOf([step('a'), step('b'), step('end', ['a', 'b'])]), run)
  await until(() => run.of('step.completed').length === 1)
  run.controller.abort(new LimitError('loop_detected', 'it goes round'))
  const execution = await work
  assert.equal([execution.status, execution.reason], ['incomplete', 'loop_detected'])
  assert.match(execution.output, /half of it/)
})

test('a hard budget ends with the finished steps, and asks once for an answer from them', async () => {
  const plan = planOf([step('a'), step('b', ['a']), step('c', ['b'])], 'SEQUENTIAL')
  const { run, execution } = await execute(plan, {
    model: ({ stepId, key }) => {
      if (key.endsWith('model:final')) return 'short answer'
      if (stepId === 'b') throw new LimitError('budget_exhausted', 'nothing left')
      return 'alpha'
    },
  })
  assert.equal(
    [execution.status, execution.reason, execution.output],
    ['incomplete', 'budget_exhausted', 'short answer'],
  )
  assert.is(run.requests.at(-1)?.maxOutputTokens, 512)
  assert.match(run.requests.at(-1)?.user ?? '', /alpha/)
  assert.equal(
    execution.steps.map(({ status }) => status),
    ['completed', 'failed', 'failed'],
  )
})

test('a budget that denies even the last call still leaves an answer', async () => {
  const { execution } = await execute(planOf([step('a')], 'SINGLE'), {
    model: () => {
      throw new LimitError('budget_exhausted', 'nothing left')
    },
  })
  assert.is(execution.status, 'incomplete')
  assert.is(execution.output, 'No step was finished: nothing left.')
})

test('a spent soft budget lets what runs finish and starts nothing new', async () => {
  const plan = planOf([step('a'), step('b'), step('c', ['a']), step('end', ['b', 'c'])])
  const { run, execution } = await execute(plan, {
    softTokens: 20,
    model: ({ key }) => (key.includes('final') ? 'in short' : 'text'),
  })
  assert.equal(
    execution.steps.map(({ status }) => status),
    ['completed', 'completed', 'skipped', 'failed'],
  )
  assert.equal([execution.status, execution.reason, execution.output], ['incomplete', 'budget_exhausted', 'in short'])
  assert.is(run.requests.length, 3)
})

test('the last step makes its answer of what is there when a worker fails', async () => {
  const { execution } = await execute(planOf([step('a'), step('b'), step('end', ['a', 'b'])]), {
    model: ({ stepId, user }) => {
      if (stepId === 'b') throw outage()
      return stepId === 'end' ? user : 'alpha'
    },
  })
  assert.equal([execution.status, execution.reason], ['incomplete', 'provider_unavailable'])
  assert.match(execution.output, /alpha[\s\S]*b gave no result: the provider is down/)
})

test('what waits for a failed step is skipped, and a run of which nothing worked has failed', async () => {
  const { run, execution } = await execute(planOf([step('a'), step('b', ['a']), step('c', ['b'])], 'SEQUENTIAL'), {
    model: () => {
      throw outage()
    },
  })
  assert.equal([execution.status, execution.error?.code], ['failed', 'provider_unavailable'])
  assert.equal(
    execution.steps.map(({ status }) => status),
    ['failed', 'skipped', 'skipped'],
  )
  assert.is(run.requests.length, 1)
  assert.is(run.of('step.skipped').length, 2)
  assert.ok(execution.output !== '')
})

test('a brief, a review or one draft that fails is a warning, not a failure', async () => {
  for (const [topology, role] of [
    ['CENTRALIZED', 'lead'],
    ['HYBRID', 'critic'],
  ] as const) {
    const plan = await planFor('Describe a.ts, b.ts and c.ts', topology, 4)
    const failing = plan.steps.find((one) => one.role === role)?.id
    const { run, execution } = await execute(plan, {
      model: ({ stepId }) => {
        if (stepId === failing) throw new ProviderError('content_filtered', 'withheld', { provider: 'scripted' })
        return 'fine'
      },
    })
    assert.is(execution.status, 'completed', topology)
    assert.equal(
      run.warnings.map(({ code }) => code),
      ['step_failed'],
    )
  }
  const plan = await planFor('What is 6 times 7?', 'DECENTRALIZED', 3)
  const { execution } = await execute(plan, {
    model: ({ stepId }) => {
      if (stepId === 'step-2') throw outage()
      return '42'
    },
  })
  assert.equal([execution.status, execution.output], ['completed', '42'])
})

test('a plan that failed is planned again: finished steps stay, the failed one is cut up', async () => {
  const plan = planOf([
    step('a'),
    step('b', [], { objective: 'Count the files. List the tests.' }),
    step('end', ['a', 'b']),
  ])
  const script: Script = { model: ({ stepId }) => (stepId === 'b' ? '' : `done ${stepId}`) }
  const { execution } = await execute(plan, script)
  assert.equal([execution.status, execution.reason], ['incomplete', 'plan_failed'])
  const again = await orchestrator.replan(plan, execution)
  assert.is(again.id, 'plan-2')
  assert.equal(
    again.steps.map(({ id, dependsOn }) => `${id}<${dependsOn.join()}`),
    ['a<', 'b-1<', 'b-2<', 'end<a,b-1,b-2'],
  )
  const run = scriptRun({ ...script, attempt: 2 })
  const second = await orchestrator.execute(again, run, { plan, execution })
  assert.is(second.status, 'completed')
  assert.equal(
    run.requests.map(({ stepId }) => stepId),
    ['b-1', 'b-2', 'end'],
  )
  assert.is(second.steps[0]?.output, 'done a')
  assert.is(second.steps[0]?.usage.inputTokens, 0)
})

test('a reflection runs only the last step again, with the reason, the evidence and the earlier answer', async () => {
  const plan = planOf([step('a'), step('end', ['a'])])
  const script: Script = { model: ({ stepId, turn }) => `answer of ${stepId} ${turn}` }
  const { execution } = await execute(plan, script)
  const run = scriptRun({ ...script, attempt: 2 })
  const second = await orchestrator.execute(plan, run, { plan, execution, reflection: reflection('2 + 2 is 4') })
  assert.equal(
    run.requests.map(({ stepId }) => stepId),
    ['end'],
  )
  const { user = '' } = run.requests[0] ?? {}
  for (const part of ['the sum is wrong', 'add again', '- 2 + 2 is 4', 'answer of end 0', 'answer of a 0']) {
    assert.ok(user.includes(part), part)
  }
  assert.is(second.status, 'completed')
})

test('a retry that cannot be paid for keeps the first answer', async () => {
  const plan = planOf([step('a')], 'SINGLE')
  const { execution } = await execute(plan, { model: () => 'first' })
  const run = scriptRun({ model: () => 'second', attempt: 2, softTokens: 0 })
  const second = await orchestrator.execute(plan, run, { plan, execution, reflection: reflection('x') })
  assert.equal([second.output, run.requests.length], ['first', 0])
})

test('an error of a hook ends the execution', async () => {
  const { PluginError } = await import('../src/index.ts')
  try {
    await execute(planOf([step('a')]), {
      model: () => {
        throw new PluginError('plugin_failed', 'broken', { plugin: 'x', stage: 'execute' })
      },
    })
    assert.unreachable()
  } catch (thrown) {
    assert.is((thrown as SvcError).code, 'plugin_failed')
  }
})

test('the log of a plan grows with its steps, and not with their square, also where they go to other agents', async () => {
  const bytesOf = async (count: number, agents: number, maxConcurrent: number): Promise<number> => {
    const team = new AdaptiveOrchestrator({ maxSteps: 1_000 })
    const ids = Array.from({ length: agents }, (_, index) => `worker-${index}`)
    for (const id of ids) team.registerAgent({ id, name: id, role: 'worker', capabilities: [], maxConcurrent })
    const parts = Array.from({ length: count - 1 }, (_, index) => step(`s${index}`, [], { agentId: 'worker-0' }))
    const last = step(
      'last',
      parts.map(({ id }) => id),
      { agentId: 'worker-0' },
    )
    const members = ids.map((id) => ({ agentId: id, name: id, role: 'worker', profileId: id }))
    const run = scriptRun({ model: () => 'done' })
    const { status, steps } = await team.execute({ ...planOf([...parts, last]), agents: members }, run)
    assert.is(status, 'completed')
    const moved = steps.filter(({ agentId }) => agentId !== 'worker-0').length
    assert.ok(maxConcurrent === 8 ? moved === 0 : moved > count / 2, `${moved} moved`)
    return run.events().reduce((sum, event) => sum + JSON.stringify(event).length, 0) / count
  }
  for (const [agents, maxConcurrent] of [
    [1, 8],
    [4, 1],
  ] as const) {
    const [few, many] = [await bytesOf(100, agents, maxConcurrent), await bytesOf(500, agents, maxConcurrent)]
    assert.ok(many < few * 1.5, `${few} and ${many} bytes a step with ${agents} agents`)
  }
})

test.run()
