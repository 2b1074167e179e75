/** What one run of an experiment leaves is not there for another: code, memory and files are each its own. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { definePlugin, textMessage } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Cell,
  estimate,
  prepareExperiment,
  runExperiment,
  toMarkdown,
  writeReports,
} from '../../src/experiment/index.ts'
import { makeWorld, prepareCode, prepareIn, scripted } from './world.ts'

const test = suite('cells of an experiment')

const options = { topology: 'SINGLE', reflect: false, budget: { maxTokens: 20_000 } }
const tasks = ['a', 'b', 'c'].map((id) => ({ id, task: `Task ${id}`, expected: 1 }))

/** A plugin whose module counts the runs that went through it, and says which this one is. */
const COUNTING = `import { count } from './counter.ts'
let runs = 0
export default { name: 'counting', apply({ hooks }) {
  hooks.modelRequest.tap('counting', (_, request) => {
    runs += 1
    return { ...request, messages: [...request.messages, { role: 'user', content: [{ type: 'text', text: 'RUN ' + runs + ' ' + count() }] }] }
  })
} }
`
const COUNTER = 'let counted = 0\nexport const count = () => ++counted\n'

const saysRun = (text: string): string => /RUN (\d+ \d+)/.exec(text)?.[1] ?? '0'
const answers = (cells: readonly Cell[], arm: string): string[] =>
  cells.filter((cell) => cell.arm === arm).map(({ evidence = '' }) => evidence)

test('a module of an arm, and what it imports, is loaded for each run anew, and so is the experiment’s own code', async () => {
  const world = makeWorld({ 'counting.ts': COUNTING, 'counter.ts': COUNTER })
  const { flags } = scripted((text) => saysRun(text))
  const experiment = `import counting from './counting.ts'
let scored = 0
export default {
  tasks: ${JSON.stringify(tasks)}, seeds: [1, 2], replay: 'off', concurrency: 2,
  scorer: ({ result }) => ({ score: 1, evidence: result.summary }),
  base: { options: ${JSON.stringify(options)} },
  arms: { path: { plugin: './counting.ts' }, value: { plugin: counting, options: { maxOutputTokens: 9 }, factors: ['plugins.counting', 'options.maxOutputTokens'] } },
}
`
  world.put('fresh.ts', experiment)
  const prepared = await prepareExperiment('fresh.ts', { cwd: world.work, env: world.env, trust: true, flags })
  const { cells } = await runExperiment(prepared)
  assert.equal(answers(cells, 'path'), Array(6).fill('1 1'))
  assert.equal(answers(cells, 'value'), Array(6).fill('1 1'))
})

test('what definePlugin made is called for each run', async () => {
  const world = makeWorld()
  const { flags } = scripted((text) => saysRun(text))
  let made = 0
  const counting = () => {
    made += 1
    let runs = 0
    return definePlugin('counting', ({ hooks }) => {
      hooks.modelRequest.tap('counting', (_, request) => ({
        ...request,
        messages: [...request.messages, textMessage('user', `RUN ${++runs} 0`)],
      }))
    })()
  }
  const scorer = ({ result }: { result: { summary: string } }) => ({ score: 1, evidence: result.summary })
  const arms = { counting: { plugin: counting } }
  const prepared = await prepareCode(
    world,
    { tasks, scorer, seeds: [1], replay: 'off', base: { options }, arms },
    { flags },
  )
  const { cells } = await runExperiment(prepared)
  assert.equal(answers(cells, 'counting'), ['1 0', '1 0', '1 0'])
  assert.is(made, 4)
})

test('a file that changes while the experiment runs ends it', async () => {
  const world = makeWorld({ 'counting.ts': COUNTING, 'counter.ts': COUNTER })
  const { flags } = scripted((text) => {
    writeFileSync(join(world.work, 'counter.ts'), `${COUNTER}// changed\n`)
    return saysRun(text)
  })
  const arms = { counted: { plugin: './counting.ts' } }
  const input = { tasks, scorer: 'numeric', seeds: [1], base: { options }, arms }
  const prepared = await prepareIn(world, input, { flags, trust: true, concurrency: 1 })
  let message = ''
  await runExperiment(prepared).catch((thrown: Error) => (message = thrown.message))
  assert.match(message, /counter\.ts: changed while the experiment ran/)
})

/** Says the number that the memory holds, where it holds one. */
const remembers = (text: string): string => {
  if (text.includes('Remember')) return 'I have noted that the code word of the harbour is 4711.'
  return text.includes('4711') ? '4711' : 'I do not know.'
}
const asked = {
  id: 'ask',
  task: 'What is the code word of the harbour?',
  expected: 4711,
  setup: ['Remember that the code word of the harbour is 4711.'],
}
const memories = {
  tasks: [asked, { id: 'other', task: 'What is the code word of the harbour?', expected: 4711 }],
  scorer: 'numeric',
  seeds: [1, 2],
  replay: 'off',
  base: { options },
  arms: { forgets: { component: { memory: false } } },
}

test('set-up turns fill the memory of their own task’s runs, and of no others', async () => {
  const world = makeWorld()
  const { flags, asked: calls } = scripted(remembers)
  const prepared = await prepareIn(world, memories, { flags })
  const { cells, spent } = await runExperiment(prepared)
  const scores = (arm: string, task: string): number[] =>
    cells.filter((cell) => cell.arm === arm && cell.task === task).map(({ score }) => score)
  assert.equal(scores('base', 'ask'), [1, 1])
  assert.equal(scores('base-again', 'ask'), [1, 1])
  assert.equal(scores('base', 'other'), [0, 0])
  assert.equal(scores('forgets', 'ask'), [0, 0])
  assert.is(calls.length, 18)
  const [cell] = cells.filter(({ task }) => task === 'ask')
  assert.is(cell?.setup?.turns, 1)
  assert.is(cell?.modelCalls, 1)
  const tokens = cells.reduce(
    (sum, { inputTokens, outputTokens, setup }) =>
      sum + inputTokens + outputTokens + (setup?.inputTokens ?? 0) + (setup?.outputTokens ?? 0),
    0,
  )
  assert.is(spent.tokens, tokens)
  const { report } = writeReports(prepared.folder)
  assert.equal(report.sample.setup, { tasks: 1, turns: 1 })
  assert.match(
    toMarkdown(report),
    /Each run had a memory of its own\. 1 of 2 tasks filled it first, with 1 set-up turn, whose tokens are counted apart\./,
  )
})

test('a report without set-up turns says that memory was not compared', async () => {
  const world = makeWorld()
  const { flags } = scripted(() => '1')
  const prepared = await prepareIn(world, { ...memories, tasks, seeds: [1] }, { flags })
  await runExperiment(prepared)
  const { report } = writeReports(prepared.folder)
  assert.ok(
    report.notTested.includes(
      'What a memory is worth: each run began with an empty one, since no task has set-up turns.',
    ),
    report.notTested.join('\n'),
  )
})

test('a set-up turn that fails is how the run ends', async () => {
  const world = makeWorld()
  const { flags } = scripted((text) => {
    if (text.includes('Remember')) throw Object.assign(new Error('no'), { code: 'x' })
    return '4711'
  })
  const { cells } = await runExperiment(await prepareIn(world, { ...memories, seeds: [1], aa: false }, { flags }))
  const failed = cells.filter(({ task }) => task === 'ask')
  assert.ok(failed.every(({ status, score }) => status === 'failed' && score === 0))
  assert.ok(failed.every(({ error }) => /^set-up turn 1: /.test(error?.message ?? '')))
})

test('set-up turns count in what an experiment may take', async () => {
  const world = makeWorld()
  const { flags } = scripted(remembers)
  const prepared = await prepareIn(world, { ...memories, seeds: [1], aa: false }, { flags })
  assert.is(estimate(prepared).tokens.most, 2 * 3 * 20_000)
  const kept = await prepareIn(
    world,
    {
      ...memories,
      tasks: [{ ...asked, options: { budget: { maxTokens: 5_000 } } }],
      aa: false,
      seeds: [1],
      name: 'kept',
    },
    { flags },
  )
  assert.is(estimate(kept).tokens.most, 2 * 25_000)
})

test('an arm may be a provider: one that is known, or one that the experiment brings along', async () => {
  const world = makeWorld()
  const { flags } = scripted(() => '1')
  const own = scriptedProvider('own', () => '2')
  const arms = { offline: { provider: 'offline' }, own: { provider: own } }
  const input = { tasks, scorer: 'numeric', seeds: [1], base: { options }, arms }
  const { cells } = await runExperiment(await prepareCode(world, input, { flags }))
  const scores = (arm: string): number[] => cells.filter((cell) => cell.arm === arm).map(({ score }) => score)
  assert.equal(scores('base'), [1, 1, 1])
  assert.equal(scores('own'), [0, 0, 0])
  assert.is(cells.filter(({ arm }) => arm === 'offline').length, 3)
  assert.not.match(JSON.stringify(cells.filter(({ arm }) => arm === 'offline')), /"failed"/)
})

test.run()
