/** What is wrong with an experiment is found before a model is called, and named. */
import { definePlugin, SvcError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { estimate, prepareExperiment } from '../../src/experiment/index.ts'
import { makeWorld, prepareCode, prepareIn, scripted } from './world.ts'

const test = suite('experiment checks')
const world = makeWorld()
const { flags, asked } = scripted(() => 'yes')

const good = {
  tasks: [{ id: 'a', task: 'Is it?', expected: 'yes' }],
  scorer: 'exact',
  arms: { few: { options: { maxOutputTokens: 10 } } },
}

async function refusal(work: () => Promise<unknown>): Promise<SvcError> {
  try {
    await work()
  } catch (thrown) {
    if (SvcError.isInstance(thrown)) return thrown
    throw thrown
  }
  throw new Error('nothing was refused')
}

test('a good experiment is taken', async () => {
  const { design, arms } = await prepareIn(world, good, { flags })
  assert.equal(
    arms.map(({ arm }) => arm.id),
    ['base', 'base-again', 'few'],
  )
  assert.equal(design.arms.at(-1)?.factors, ['options.maxOutputTokens'])
  assert.equal(design.seeds, [1, 2, 3])
})

test('each mistake in the file is named with its field and what would be right', async () => {
  const plugin = definePlugin('other', () => {})()
  const cases: readonly (readonly [change: object, message: RegExp])[] = [
    [{ taskz: [] }, /experiment\.json: \/taskz is not a known setting; did you mean "tasks"\?/],
    [{ tasks: [] }, /\/tasks must be a list of at least one task, or the path of a JSONL file/],
    [
      { tasks: [{ id: 'a', task: 'x', expectd: 1 }] },
      /\/tasks\/0\/expectd is not a known setting; did you mean "expected"\?/,
    ],
    [{ tasks: [{ id: 'a b', task: 'x' }] }, /\/tasks\/0\/id must be 1 to 100 letters/],
    [{ tasks: [...good.tasks, ...good.tasks] }, /\/tasks\/1\/id "a" is the id of task 1 already/],
    [{ tasks: [{ id: 'a', task: 'x' }] }, /\/tasks\/0 \(a\) needs `expected`/],
    [{ tasks: 'absent.jsonl' }, /absent\.jsonl: tasks: cannot be read \(ENOENT\)/],
    [{ scorer: 'exakt' }, /\/scorer "exakt" is no scorer; did you mean "exact"\?/],
    [
      { scorer: { numeric: { relativ: 1 } } },
      /\/scorer\/numeric\/relativ is not a known setting; did you mean "relative"\?/,
    ],
    [{ scorer: { judge: {} } }, /\/scorer\/judge must have required properties rubric/],
    [{ scorer: 'numeric' }, /\/tasks\/0 \(a\) needs `expected`: a number/],
    [{ scorer: 'command' }, /\/tasks\/0 \(a\) needs `test`/],
    [{ seeds: [1, 1] }, /\/seeds names 1 twice/],
    [{ seeds: ['1'] }, /\/seeds\/0 must be integer/],
    [{ strata: ['kind'] }, /\/tasks\/0\/strata of task "a" lacks "kind"/],
    [{ arms: { base: { model: 'scripted/x' } } }, /\/arms\/base is a name of svc’s own/],
    [{ arms: { Few: {} } }, /\/arms\/Few is not a valid name/],
    [{ arms: { few: {} } }, /\/arms\/few differs from the base in nothing/],
    [{ arms: { few: { model: 'scripted/scripted' } } }, /\/arms\/few differs from the base in nothing/],
    [
      { arms: { few: { component: { analyse: plugin } } } },
      /\/component\/analyse is no slot; did you mean "analyze"\?/,
    ],
    [
      { arms: { few: { component: { analyze: './absent.ts' } } } },
      /\/arms\/few\/component\/analyze .*absent\.ts: there is no such module/,
    ],
    [{ arms: { few: { component: { analyze: './nothing.ts' } } } }, /must export a plugin by default/],
    [{ arms: { few: { component: { analyze: false } } } }, /cannot be switched off/],
    [{ arms: { few: { topology: 'RING' } } }, /\/topology "RING" is no topology/],
    [{ arms: { few: { prompt: { writer: 'Be short.' } } } }, /\/prompt\/writer is no agent \(the base has none\)/],
    [{ arms: { few: { model: 'openay/x' } } }, /\/arms\/few model "openay\/x" must be written provider\/model/],
    [
      { arms: { few: { config: { tokenBugdet: 1 } } } },
      /\/arms\/few\/config\/tokenBugdet .*did you mean "tokenBudget"/,
    ],
    [
      { arms: { few: { topology: 'PARALLEL', config: { tokenBudget: 9_000 } } } },
      /\/arms\/few differs from the base in 2 things: topology, tokenBudget\. Swap one, or say .* factors: \["topology","tokenBudget"\]/,
    ],
    [
      { arms: { few: { topology: 'PARALLEL', factors: ['model'] } } },
      /\/factors says model, but the arm differs in topology/,
    ],
    [{ arms: { one: good.arms.few, two: good.arms.few } }, /\/arms\/two is the same as an arm before it/],
    [{ arms: {}, aa: false }, /nothing to compare/],
    [{ workspace: '.', replay: 'strict' }, /\/replay strict runs no tool/],
    [{ workspace: 'absent' }, /\/workspace .*absent is no folder/],
    [{ base: { options: { approval: 'allow-write' } } }, /\/base\/options lets runs write files.*name a `workspace`/],
    [{ passMark: 2 }, /\/passMark must be <= 1/],
  ]
  world.put('nothing.ts', 'export default 3\n')
  for (const [change, message] of cases) {
    const input = { ...good, ...change }
    // Plugins cannot be written as JSON.
    const error = await refusal(() =>
      JSON.stringify(change).includes('other')
        ? prepareCode(world, input, { flags })
        : prepareIn(world, input, { flags, trust: true }),
    )
    assert.match(error.message, message, JSON.stringify(change))
    assert.is(error.exitCode, 3, error.code)
  }
  assert.is(asked.length, 0)
})

test('settings of a wrong type, one by one and all at once, are one error with the path of each', async () => {
  const wrong = {
    name: 5,
    tasks: 5,
    arms: [{}],
    base: 5,
    seeds: 'x',
    strata: 5,
    scorer: 5,
    passMark: 'x',
    failureLimit: 'x',
    margin: 'x',
    aa: 'x',
    budget: 5,
    concurrency: 'x',
    workspace: 5,
    replay: 5,
  }
  const pathsOf = async (change: object): Promise<string[]> => {
    const { code, errors = [] } = await refusal(() => prepareIn(world, { ...good, ...change }, { flags, trust: true }))
    assert.is(code, 'config_invalid', JSON.stringify(change))
    return errors.map(({ path }) => path)
  }
  for (const [name, value] of Object.entries(wrong)) {
    const paths = await pathsOf({ [name]: value })
    assert.ok(paths.includes(`/${name}`), `${name}: ${paths}`)
  }
  const { tasks: _, base: __, scorer: ___, ...rest } = wrong
  const all = await pathsOf(rest)
  for (const name of Object.keys(rest)) assert.ok(all.includes(`/${name}`), `${name}: ${all}`)
})

test('one error lists all that is wrong, each with its path', async () => {
  world.put(
    'broken.jsonl',
    '{"id":"a","task":"x","expected":"y"}\n{"id":"b","tasc":"x"}\n{"id":"c",\n{"id":"a","task":"x"}\n',
  )
  const arms = {
    Wrong: {},
    nothing: {},
    setting: { config: { tokenBugdet: 1 }, options: { maxSteps: 0 } },
    slot: { component: { analyse: './absent.ts', reflect: './absent.ts', memory: 3 }, topology: 'STAR' },
    agents: { prompt: { writer: 'x', reader: 4 } },
    provider: { provider: 'nobody' },
    both: { provider: 'offline', model: 'offline/extractive' },
    value: { plugin: 4 },
    model: { model: 'openay/x' },
    good: { topology: 'PARALLEL' },
  }
  const change = { seeds: [1, 1, 2, 2], margin: 7, passMark: 'x', workspace: 'absent', replay: 'strict', arms }
  const pathsOf = async (tasks: unknown): Promise<string[]> => {
    const input = { ...good, ...change, scorer: 'exakt', tasks }
    const { errors = [], exitCode, code } = await refusal(() => prepareIn(world, input, { flags, trust: true }))
    assert.equal([exitCode, code], [3, 'config_invalid'])
    return errors.map(({ path }) => path.replace(world.work, '')).sort()
  }
  const found = await pathsOf([
    { id: 'a', task: 'x', expectd: 1, setup: [] },
    { id: 'b', task: '', setup: 'no' },
    { id: 'c', task: 'c', setup: ['x'] },
    { id: 'c', task: 'c', workspace: 'nowhere' },
  ])
  const settings = [
    '/arms/Wrong',
    '/arms/agents/prompt/reader',
    '/arms/agents/prompt/writer',
    '/arms/both/provider',
    '/arms/model',
    '/arms/nothing',
    '/arms/provider',
    '/arms/setting/config/tokenBugdet',
    '/arms/setting/options/maxSteps',
    '/arms/slot/component/analyse',
    '/arms/slot/component/memory',
    '/arms/slot/component/reflect',
    '/arms/slot/topology',
    '/arms/value/plugin',
    '/margin',
    '/passMark',
    '/replay',
    '/scorer',
    '/seeds',
    '/seeds',
    '/workspace',
  ]
  assert.equal(
    found,
    [
      ...settings,
      '/tasks/0/expectd',
      '/tasks/0/setup',
      '/tasks/1/setup',
      '/tasks/1/task',
      '/tasks/2/setup',
      '/tasks/3/id',
      '/tasks/3/workspace',
      '/tasks/3/workspace',
    ].sort(),
  )
  const lines = ['line 2', 'line 2 /tasc', 'line 3', 'line 4/id'].map((place) => `/broken.jsonl: ${place}`)
  assert.equal(await pathsOf('broken.jsonl'), [...settings, ...lines].sort())
})

test('a file that holds no experiment is refused', async () => {
  for (const [name, content, message] of [
    ['list.json', '[]', /list\.json: must be an object of settings, not a list/],
    ['empty.yaml', '', /empty\.yaml: must be an object of settings, not nothing/],
    ['broken.yaml', 'arms: [', /broken\.yaml: is not YAML: /],
    ['tasks.csv', 'x', /tasks\.csv: is no experiment: it must end in/],
    ['without.mjs', 'export const x = 1\n', /without\.mjs: has no default export/],
  ] as const) {
    const error = await refusal(() =>
      prepareExperiment(world.put(name, content), { cwd: world.work, env: world.env, flags, trust: true }),
    )
    assert.match(error.message, message)
  }
  const error = await refusal(() => prepareExperiment('absent.yaml', { cwd: world.work, env: world.env }))
  assert.match(error.message, /absent\.yaml: cannot be read \(ENOENT\)/)
})

test('two factors are taken where the arm names exactly them', async () => {
  const arm = { topology: 'PARALLEL', options: { effort: 'low' }, factors: ['options.effort', 'topology'] }
  const { design } = await prepareIn(world, { ...good, arms: { both: arm } }, { flags })
  assert.equal([...(design.arms.at(-1)?.factors ?? [])].sort(), ['options.effort', 'topology'])
})

test('a line of a JSONL file that is wrong is named by its number', async () => {
  world.put('tasks.jsonl', '{"id":"a","task":"x","expected":"y"}\n\n{"id":"b",\n')
  const broken = await refusal(() => prepareIn(world, { ...good, tasks: 'tasks.jsonl' }, { flags }))
  assert.match(broken.message, /tasks\.jsonl: line 3 is not JSON/)
  world.put('tasks.jsonl', '{"id":"a","task":"x","expected":"y"}\n{"id":"b","tasc":"x"}\n')
  const unknown = await refusal(() => prepareIn(world, { ...good, tasks: 'tasks.jsonl' }, { flags }))
  assert.match(unknown.message, /tasks\.jsonl: line 2 \/tasc is not a known setting; did you mean "task"\?/)
})

test('an arm that the caller names and that is not there is a mistake of the words', async () => {
  const error = await refusal(() => prepareIn(world, good, { flags, arms: ['fwe'] }))
  assert.is(error.code, 'validation_failed')
  assert.match(
    error.message,
    /--arm "fwe" is no arm of this experiment: did you mean few\? It has base, base-again, few/,
  )
})

test('a scorer of one’s own that throws, or answers no score, is found before the first run', async () => {
  for (const [scorer, message] of [
    [() => Number.NaN, /\/scorer fails on the expected answer of task a: the scorer answered null/],
    [
      () => {
        throw new Error('no such file')
      },
      /\/scorer fails on the expected answer of task a: no such file/,
    ],
  ] as const) {
    const error = await refusal(() => prepareCode(world, { ...good, scorer }, { flags }))
    assert.match(error.message, message)
  }
})

test('code needs trust, and so does data that names commands or modules', async () => {
  const file = world.put('plain.mjs', 'globalThis.hasRun = true\nexport default {}\n')
  const code = await refusal(() => prepareExperiment(file, { cwd: world.work, env: world.env, flags }))
  assert.is(code.code, 'config_untrusted')
  assert.match(code.message, /plain\.mjs: is code, and its folder is not trusted; run "svc trust plain\.mjs"/)
  assert.is(Reflect.get(globalThis, 'hasRun'), undefined)
  for (const change of [
    { scorer: { command: { run: ['true'] } } },
    { arms: { few: { component: { reflect: './nothing.ts' } } } },
    { tasks: [{ id: 'a', task: 'x', test: ['true'] }], scorer: 'command' },
    { arms: { few: { config: { policy: { default: 'allow' } } } } },
    { base: { config: { providers: { evil: { type: 'openai', baseUrl: 'http://127.0.0.1:1' } } } } },
    { base: { options: { approval: 'allow-write' } }, workspace: '.' },
  ]) {
    const error = await refusal(() => prepareIn(world, { ...good, ...change }, { flags }))
    assert.is(error.code, 'config_untrusted', JSON.stringify(change))
    assert.match(error.message, /experiment\.json: names /)
  }
  world.put('tests.jsonl', '{"id":"a","task":"x","test":["true"]}\n')
  const tests = await refusal(() => prepareIn(world, { ...good, tasks: 'tests.jsonl', scorer: 'command' }, { flags }))
  assert.match(
    tests.message,
    /tests\.jsonl: names a command, and its folder is not trusted; run "svc trust tests\.jsonl"/,
  )
  const { arms } = await prepareIn(world, { ...good, arms: { off: { component: { reflect: false } } } }, { flags })
  assert.equal(arms.at(-1)?.arm.factors, ['components.reflect'])
})

test('a budget that cannot pay the sample is refused with the estimate', async () => {
  const priced = scripted(() => 'yes', { input: 1, output: 4 })
  const cases: readonly (readonly [budget: object, settings: typeof flags, message: RegExp])[] = [
    [{ maxTokens: 5 }, flags, /\/budget\/maxTokens 5 cannot pay 9 runs: their tasks alone are about \d+ tokens/],
    [{ maxTokens: 50_000 }, flags, /50000 cannot pay one run, which may take 128000: raise it, or lower/],
    [{ maxCostUsd: 5 }, flags, /\/budget\/maxCostUsd no price is known for scripted\/scripted/],
    [{ maxCostUsd: 0.1 }, priced.flags, /0\.1 cannot pay one run, which may cost \$0\.5120/],
  ]
  for (const [budget, settings, message] of cases) {
    const prepared = await prepareIn(world, { ...good, budget }, { flags: settings })
    assert.throws(() => estimate(prepared), message)
  }
  const prepared = await prepareIn(
    world,
    { ...good, budget: { maxTokens: 200_000, maxCostUsd: 1 } },
    { flags: priced.flags },
  )
  assert.is(estimate(prepared).runs, 9)
})

test('a model whose provider lacks its key is refused for that, in the base, in an arm and of a judge', async () => {
  world.put('house.json', {
    providers: {
      house: { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'HOUSE_KEY', defaultModel: 'm' },
    },
  })
  const refused = (experiment: object, configFile = 'house.json'): Promise<SvcError> =>
    refusal(() => prepareIn(world, { ...good, ...experiment }, { configFile }))
  for (const [error, place, variable] of [
    [await refused({}), '/base', 'HOUSE_KEY'],
    [await refused({ base: { options: { model: 'house/m' } } }), '/base', 'HOUSE_KEY'],
    [await refused({ base: { options: { model: 'anthropic/claude-x' } } }), '/base', 'ANTHROPIC_API_KEY'],
    [
      await refused({ base: { config: { model: 'offline/extractive' } }, arms: { big: { model: 'openai/gpt-x' } } }),
      '/arms/big',
      'OPENAI_API_KEY',
    ],
    [
      await refused({
        base: { config: { model: 'offline/extractive' } },
        scorer: { judge: { rubric: 'Is it right?', model: 'anthropic/claude-x' } },
      }),
      '/scorer/judge/model',
      'ANTHROPIC_API_KEY',
    ],
  ] as const) {
    assert.is(error.code, 'no_provider', error.message)
    assert.match(error.message, new RegExp(`${place} .*has no key.*export ${variable}=`))
  }
})

test.run()
