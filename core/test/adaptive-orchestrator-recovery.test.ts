import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AdaptiveOrchestrator, type Plan, ProviderError } from '../src/index.ts'
import { planOf, step } from './fixtures/plans.ts'
import { call, profile, type Script, scriptRun } from './fixtures/scripted-run.ts'

const test = suite('what the orchestrator does about failures')

const down = () => new ProviderError('provider_unavailable', 'down', { provider: 'scripted' })
const bad = () => new ProviderError('provider_bad_response', 'rubbish', { provider: 'scripted' })
const counts = (script: Script['model'], plan: Plan, more: Partial<Script> = {}, options = {}) => {
  const run = scriptRun({ model: script, ...more })
  return new AdaptiveOrchestrator(options).execute(plan, run).then((execution) => ({ run, execution }))
}
const asked = (run: ReturnType<typeof scriptRun>, id: string) => run.requests.filter(({ stepId }) => stepId === id)

test('an answer that fails its acceptance is sent back once with the failing checks, and the better one is kept', async () => {
  const plan = planOf([step('a', [], { acceptance: ['at most 3 words', 'it names "Oslo"'] })], 'SINGLE')
  const { run, execution } = await counts(
    ({ user }) => (user.includes('does not pass') ? 'Oslo it is' : 'a long answer about nothing'),
    plan,
  )
  assert.is(execution.output, 'Oslo it is')
  assert.is(execution.steps[0]?.tries, 2)
  assert.match(run.requests[1]?.user ?? '', 'at most 3 words (found: it has 5 words)')
  assert.match(run.requests[1]?.user ?? '', '"Oslo" is not in it')
  assert.equal(run.warnings, [])
  assert.is(run.of('step.retrying').length, 1)
})

test('what still fails after the repair is kept, and said', async () => {
  const plan = planOf([step('a', [], { acceptance: ['at least 9 words'] })], 'SINGLE')
  const { run, execution } = await counts(() => 'short', plan)
  assert.equal([run.requests.length, execution.status, execution.output], [2, 'completed', 'short'])
  assert.equal(
    run.warnings.map(({ code }) => code),
    ['acceptance_failed'],
  )
})

test('a step that may be tried once is not repaired, and prose acceptance costs no call', async () => {
  const once = planOf([step('a', [], { acceptance: ['at least 9 words'], maxTries: 1 })], 'SINGLE')
  assert.is((await counts(() => 'short', once)).run.requests.length, 1)
  const prose = planOf([step('a', [], { acceptance: ['The answer is convincing.'] })], 'SINGLE')
  assert.is((await counts(() => 'short', prose)).run.requests.length, 1)
})

test('a check of the caller counts like those of the acceptance', async () => {
  const run = scriptRun({ model: ({ user }) => (user.includes('no figure') ? '42' : 'many') })
  const check = (_step: unknown, output: string) =>
    /\d/.test(output) ? [] : [{ check: 'has a figure', evidence: 'no figure' }]
  const execution = await new AdaptiveOrchestrator().execute(planOf([step('a')], 'SINGLE'), run, undefined, { check })
  assert.is(execution.output, '42')
})

test('a capability gap goes to the agent that suits the step best, not to the next in line', async () => {
  const agents = [
    profile('one'),
    profile('cook', { capabilities: ['cooking'] }),
    profile('geo', { capabilities: ['capitals of countries'] }),
  ]
  const plan = planOf([step('a', [], { objective: 'name the capitals of two countries', agentId: 'agent-1' })])
  plan.agents = agents.map(({ id }, index) => ({
    agentId: `agent-${index + 1}`,
    name: id,
    role: 'worker',
    profileId: id,
  }))
  const { run, execution } = await counts(
    ({ agentId }) => {
      if (agentId === 'agent-1') throw bad()
      return agentId
    },
    plan,
    { agents },
  )
  assert.is(execution.output, 'agent-3')
  assert.is(run.requests.length, 2)
})

test('an agent whose model is out hands its work to one on another model, and gets nothing more to do', async () => {
  const agents = [profile('dead', { model: 'gone/model' }), profile('alive', { model: 'here/model' })]
  const plan = planOf([
    step('a', [], { agentId: 'agent-1' }),
    step('b', ['a'], { agentId: 'agent-1' }),
    step('c', ['b'], { agentId: 'agent-2' }),
  ])
  plan.agents = agents.map(({ id }, index) => ({
    agentId: `agent-${index + 1}`,
    name: id,
    role: 'worker',
    profileId: id,
  }))
  const { run, execution } = await counts(
    ({ model, stepId }) => {
      if (model === 'gone/model') throw down()
      return `done ${stepId}`
    },
    plan,
    { agents },
  )
  assert.equal([execution.status, execution.output], ['completed', 'done c'])
  assert.is(run.requests.filter(({ model }) => model === 'gone/model').length, 1)
})

test('a result that cannot be used is done again, with all that was built on it and nothing else', async () => {
  const plan = planOf([
    step('a'),
    step('x'),
    step('b', ['a']),
    step('c', ['b']),
    step('end', ['c', 'x'], { role: 'synthesizer' }),
  ])
  const { run, execution } = await counts(({ stepId, user }) => {
    if (stepId === 'a') return user.includes('could not be used') ? 'right' : 'wrong'
    if (stepId === 'c' && user.includes('wrong')) return 'REOPEN a: it is wrong'
    if (stepId === 'end') return user.includes('c of right') ? 'all right' : user
    return `${stepId} of ${user.includes('right') ? 'right' : user.includes('wrong') ? 'wrong' : 'nothing'}`
  }, plan)
  assert.equal([execution.status, execution.output], ['completed', 'all right'])
  assert.equal(
    ['a', 'x', 'b', 'c', 'end'].map((id) => asked(run, id).length),
    [2, 1, 2, 2, 1],
  )
  assert.match(asked(run, 'a')[1]?.user ?? '', 'It could not be used: it is wrong')
  assert.match(asked(run, 'c')[0]?.system ?? '', 'REOPEN')
  assert.not.match(asked(run, 'a')[0]?.system ?? '', 'REOPEN')
})

test('a step is done again for a complaint once at most, then others work with what there is', async () => {
  const plan = planOf([step('a'), step('b', ['a'])])
  const { run, execution } = await counts(({ stepId, user }) => {
    if (stepId === 'a') return 'useless'
    return user.includes('work with what there is') ? 'made do' : 'REOPEN a: useless'
  }, plan)
  assert.equal([execution.status, execution.output], ['completed', 'made do'])
  assert.is(asked(run, 'a').length, 2)
})

test('a line about a step that it does not build on is an answer like any other', async () => {
  const { execution } = await counts(
    ({ stepId }) => (stepId === 'b' ? 'REOPEN zzz: why' : 'fine'),
    planOf([step('a'), step('b', ['a'])]),
  )
  assert.is(execution.output, 'REOPEN zzz: why')
})

test('three steps in a row without progress bring the rest back to the planner', async () => {
  const failing = ['a', 'b', 'c']
  const plan = planOf([
    ...failing.map((id) => step(id, [], { maxTries: 1 })),
    ...['d', 'e'].map((id) => step(id)),
    step('end', ['a', 'b', 'c', 'd', 'e'], { role: 'synthesizer' }),
  ])
  const { run, execution } = await counts(
    ({ stepId = '' }) => {
      if (failing.includes(stepId)) throw bad()
      return stepId
    },
    plan,
    {},
    { concurrency: 1 },
  )
  assert.equal([execution.status, execution.reason], ['failed', 'plan_failed'])
  assert.is(run.requests.length, 3)
  assert.match(execution.error?.message ?? '', 'three steps in a row')
})

test('the advice of an inspector to plan again counts once per issue', async () => {
  const plan = planOf([step('a'), step('b', ['a']), step('c', ['b'])])
  for (const [ids, status] of [
    [['i1', 'i2', 'i3', 'i4'], 'incomplete'],
    [['i1', 'i1', 'i1', 'i1'], 'completed'],
  ] as const) {
    const run = scriptRun({
      model: ({ stepId = '' }) => {
        for (const id of ids) run.emit('inspect.issue', { id, action: 'replan' })
        return stepId
      },
    })
    const execution = await new AdaptiveOrchestrator().execute(plan, run)
    assert.is(execution.status, status)
  }
})

test('an execution that takes twice its forecast comes to an end with what it has', async () => {
  const plan = planOf([step('a', [], { tools: ['read'] }), step('b', ['a'])])
  const run = scriptRun({
    model: ({ turn, toolChoice, key }) => {
      if (key.endsWith('final')) return 'the answer from what was found'
      return toolChoice === 'none' ? 'partial' : { toolCalls: [call('read', { turn }, `c${turn}`)] }
    },
    tools: { read: { run: () => 'text' } },
    agents: [profile('ann', { budget: { maxSteps: 100 } })],
  })
  plan.agents[0] = { agentId: 'agent-a', name: 'Ann', role: 'worker', profileId: 'ann' }
  const execution = await new AdaptiveOrchestrator().execute(plan, run, undefined, {
    complexity: { estimatedTurns: 1 },
  })
  assert.equal([execution.status, execution.reason], ['incomplete', 'max_steps'])
  assert.is(run.requests.length, 26)
  assert.is(execution.output, 'the answer from what was found')
})

test('idle agents of the same kind take the least urgent work of a busy one', async () => {
  const orchestrator = new AdaptiveOrchestrator({ concurrency: 4 })
  for (const id of ['ann', 'bob', 'cyd']) {
    const capabilities = id === 'cyd' ? ['cooking'] : ['maps']
    orchestrator.registerAgent({ id, name: id, role: 'worker', capabilities, maxConcurrent: 1 })
  }
  const steps = ['a', 'b', 'c', 'd'].map((id, index) =>
    step(id, [], { agentId: 'agent-1', estimatedTokens: 400 - 100 * index, objective: `draw maps of ${id}` }),
  )
  const plan = planOf([...steps, step('end', ['a', 'b', 'c', 'd'], { agentId: 'agent-3', role: 'synthesizer' })])
  plan.agents = ['ann', 'bob', 'cyd'].map((id, index) => ({
    agentId: `agent-${index + 1}`,
    name: id,
    role: 'worker',
    profileId: id,
  }))
  const run = scriptRun({
    model: async ({ stepId = '' }) => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      return stepId
    },
  })
  const execution = await orchestrator.execute(plan, run)
  assert.is(execution.status, 'completed')
  const by = Object.fromEntries(execution.steps.map(({ id, agentId }) => [id, agentId]))
  assert.equal(by, { a: 'agent-1', b: 'agent-1', c: 'agent-2', d: 'agent-2', end: 'agent-3' })
  assert.match(String(run.of('agent.handoff')[0]?.data.reason), 'busy')
})

test('a long result is handed on as its head, and the rest can be read', async () => {
  const text = `${'x'.repeat(64_000)}the end`
  const { run, execution } = await counts(
    ({ stepId, turn, messages }) => {
      if (stepId === 'a') return text
      if (turn === 0) return { toolCalls: [call('read_result', { step: 'a', from: 64_000 })] }
      return JSON.stringify(messages.at(-1)?.content)
    },
    planOf([step('a'), step('b', ['a'])]),
  )
  assert.match(execution.output, 'the end')
  assert.equal(
    run.requests.map(({ tools = [] }) => tools.map(({ id }) => id)),
    [[], ['read_result'], ['read_result']],
  )
  assert.is(run.of('tool.completed').length, 1)
  assert.equal(run.of('agent.handoff')[0]?.data.payloadRef, 'a')
})

test('files that were written are artifacts, and are named to those who build on the step', async () => {
  const { run, execution } = await counts(
    ({ stepId, turn, user }) => {
      if (stepId === 'b') return user
      const content = turn === 0 ? 'grün' : '!'
      const mode = turn === 0 ? 'overwrite' : 'append'
      return turn < 2 ? { toolCalls: [call('save', { path: 'out/notes.md', content, mode }, `c${turn}`)] } : 'saved'
    },
    planOf([step('a', [], { tools: ['save'] }), step('b', ['a'])]),
    { tools: { save: { risk: 'write', run: () => 'ok' } } },
  )
  assert.equal(execution.artifacts, [
    { id: 'artifact-1', name: 'notes.md', mimeType: 'text/markdown', bytes: 6, uri: 'workspace:out/notes.md' },
  ])
  assert.match(execution.output, 'Files that a wrote: workspace:out/notes.md (text/markdown, 6 bytes)')
  assert.is(run.of('agent.handoff').length, 1)
})

test('those who drafted debate only where they disagree, at most so often as allowed', async () => {
  const vote = (): Plan =>
    planOf([...['a', 'b', 'c'].map((id) => step(id)), step('v', ['a', 'b', 'c'], { role: 'vote' })], 'DECENTRALIZED')
  const drafts: Record<string, string> = { a: 'The answer is 1.', b: 'The answer is 2.', c: 'The answer is 3.' }
  const model: Script['model'] = ({ stepId = '', key, user }) => {
    if (key.includes('debate')) return user.includes('The answer is 1.') ? 'The answer is 1.' : 'silence'
    return drafts[stepId] ?? 'the model decides'
  }
  const without = await counts(model, vote())
  assert.equal([without.run.requests.length, without.execution.output], [4, 'the model decides'])
  const once = await counts(model, vote(), {}, { debateRounds: 2 })
  assert.equal([once.run.requests.length, once.execution.output], [6, 'The answer is 1.'])
  assert.match(JSON.stringify(once.run.of('step.completed').at(-1)?.data), '"decidedBy":"debate"')
  const agreed = await counts(() => 'The answer is 1.', vote(), {}, { debateRounds: 2 })
  assert.is(agreed.run.requests.length, 3)
  const stubborn = await counts(
    ({ agentId, key }) => (key.includes('debate') ? `${agentId} says ${key.length}` : `${agentId} ${key.length * 7}`),
    vote(),
    {},
    { debateRounds: 2 },
  )
  assert.is(stubborn.execution.status, 'completed')
  assert.throws(() => new AdaptiveOrchestrator({ debateRounds: 3 }), /debateRounds/)
})

test.run()
