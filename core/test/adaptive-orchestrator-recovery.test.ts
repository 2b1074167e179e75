import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AdaptiveOrchestrator, type Plan, PolicyError, ProviderError, toText } from '../src/index.ts'
import { giveTo, planOf, step } from './fixtures/plans.ts'
import { settled } from './fixtures/runtimes.ts'
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
  giveTo(plan, agents)
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
  giveTo(plan, agents)
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

test('a team whose model is down is planned again only for an agent on a model that is not', async () => {
  const plan = planOf([step('a', [], { agentId: 'agent-1' }), step('b', ['a'], { agentId: 'agent-1' })])
  plan.agents = [{ agentId: 'agent-1', name: 'dead', role: 'worker', profileId: 'dead' }]
  for (const [model, reason] of [
    ['alive/model', 'plan_failed'],
    ['scripted/model', 'provider_unavailable'],
  ] as const) {
    const { execution } = await counts(
      () => {
        throw down()
      },
      plan,
      { agents: [profile('dead'), profile('other', { model })] },
    )
    assert.equal([execution.reason, execution.error?.code], [reason, 'provider_unavailable'])
  }
})

test('a call that fails beside one that answers does not stop the rest', async () => {
  const plan = planOf([step('slow'), step('a'), step('b', ['a']), step('c', ['slow']), step('end', ['b', 'c'])])
  const { execution } = await counts(async ({ stepId }) => {
    if (stepId === 'a') throw down()
    await settled()
    return `done ${stepId}`
  }, plan)
  assert.equal(
    execution.steps.map(({ status }) => status),
    ['completed', 'failed', 'skipped', 'completed', 'completed'],
  )
  assert.is(execution.output, 'done end')
})

test('a model that answers between its failures goes on', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e']
  const plan = planOf([...ids.map((id) => step(id)), step('end', ids, { role: 'synthesizer' })])
  const { execution } = await counts(
    ({ stepId = '' }) => {
      if (stepId === 'b' || stepId === 'd') throw down()
      return `done ${stepId}`
    },
    plan,
    {},
    { concurrency: 1 },
  )
  assert.equal(
    execution.steps.map(({ status }) => status),
    ['completed', 'failed', 'completed', 'failed', 'completed', 'completed'],
  )
})

for (const code of ['approval_denied', 'approval_expired'] as const) {
  test(`an answer without a call that ended in ${code} is not sent back for what it lacks`, async () => {
    const plan = planOf([step('a', [], { tools: ['save'], acceptance: ['it names "saved"'] })], 'SINGLE')
    const { run, execution } = await counts(
      ({ turn }) => (turn === 0 ? { toolCalls: [call('save', { path: 'x' })] } : 'not done'),
      plan,
      {
        tools: {
          save: {
            risk: 'write',
            run: () => {
              throw new PolicyError(code, 'a person denied save')
            },
          },
        },
      },
    )
    assert.equal([run.requests.length, run.calls.length, execution.output], [2, 1, 'not done'])
    const heard = toText(run.requests[1]?.messages.at(-1)?.content ?? [])
    assert.match(heard, `Error ${code}: a person denied save`)
    assert.match(heard, 'Do not make this call again')
    assert.equal(
      run.warnings.map((warning) => warning.code),
      ['acceptance_failed'],
    )
  })
}

test('every further try of a step is announced, with its number and why', async () => {
  const agents = [profile('ann'), profile('bob')]
  const plan = planOf([
    step('a', [], { agentId: 'agent-1', maxTries: 3, acceptance: ['at most 3 words'] }),
    step('b', [], { agentId: 'agent-2' }),
    step('end', ['a', 'b'], { agentId: 'agent-2' }),
  ])
  giveTo(plan, agents)
  const { run } = await counts(
    ({ agentId, stepId, user }) => {
      if (agentId === 'agent-1') throw bad()
      return stepId === 'a' && !user.includes('does not pass') ? 'far too many words' : 'few words'
    },
    plan,
    { agents },
  )
  assert.equal(
    run.of('step.retrying').map(({ data }) => data),
    [
      {
        tries: 2,
        delayMs: 0,
        error: { code: 'provider_bad_response', message: 'rubbish', retryable: true },
      },
      { tries: 3, delayMs: 0, check: { id: 'at most 3 words', evidence: 'it has 4 words' } },
    ],
  )
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
  assert.is(asked(run, 'a')[0]?.system, asked(run, 'c')[0]?.system, 'all steps of a role begin alike')
})

test('a step that runs on a result that is reopened meanwhile is done again', async () => {
  const plan = planOf([
    step('a'),
    step('b', ['a']),
    step('slow', ['a']),
    step('end', ['b', 'slow'], { role: 'synthesizer' }),
  ])
  let reopened = (): void => undefined
  const untilReopened = new Promise<void>((resolve) => {
    reopened = resolve
  })
  const { run, execution } = await counts(async ({ stepId, user }) => {
    if (stepId === 'a') {
      if (!user.includes('could not be used')) return 'wrong'
      reopened()
      return 'right'
    }
    if (stepId === 'b') return user.includes('wrong') ? 'REOPEN a: it is wrong' : 'b of right'
    if (stepId === 'slow') await untilReopened
    return stepId === 'end' ? user : `slow of ${user.includes('right') ? 'right' : 'wrong'}`
  }, plan)
  assert.equal([asked(run, 'slow').length, asked(run, 'end').length], [2, 1])
  assert.match(execution.output, 'slow of right')
  assert.not.match(execution.output, 'slow of wrong')
})

test('a step is reopened once at most, then others work with what there is', async () => {
  const plan = planOf([step('a'), step('b', ['a'])])
  const { run, execution } = await counts(({ stepId, user }) => {
    if (stepId === 'a') return 'useless'
    return user.includes('work with what there is') ? 'made do' : 'REOPEN a: useless'
  }, plan)
  assert.equal([execution.status, execution.output], ['completed', 'made do'])
  assert.is(asked(run, 'a').length, 2)
})

const issue = {
  code: 'loop',
  severity: 'warn',
  message: 'it goes round',
  evidence: [],
  firstAt: 0,
  count: 1,
  action: 'replan',
} as const

test('the advice of an inspector to plan again counts once per issue', async () => {
  const plan = planOf([step('a'), step('b', ['a']), step('c', ['b'])])
  for (const [ids, status] of [
    [['i1', 'i2', 'i3', 'i4'], 'incomplete'],
    [['i1', 'i1', 'i1', 'i1'], 'completed'],
  ] as const) {
    const run = scriptRun({
      model: ({ stepId = '' }) => {
        for (const id of ids) run.emit('inspect.issue', { ...issue, evidence: [], id })
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
      await settled()
      return stepId
    },
  })
  const execution = await orchestrator.execute(plan, run)
  assert.is(execution.status, 'completed')
  const by = Object.fromEntries(execution.steps.map(({ id, agentId }) => [id, agentId]))
  assert.equal(by, { a: 'agent-1', b: 'agent-1', c: 'agent-2', d: 'agent-2', end: 'agent-3' })
  assert.match(String(run.of('agent.handoff')[0]?.data.reason), 'busy')
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

test.run()
