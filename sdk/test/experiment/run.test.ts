/** From a file to recorded cells: what is made, in which order, and what is kept. */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { definePlugin, ProviderError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Cell,
  estimate,
  type PreparedExperiment,
  runExperiment,
  toVerdicts,
  writeReports,
} from '../../src/experiment/index.ts'
import { makeWorld, prepareCode, prepareIn, scripted } from './world.ts'

const test = suite('experiment runs')

const HINT = 'Think of the sum of both.'
const NOISE = 'Say something else.'
const tasks = [
  { id: 'easy', task: 'EASY: what is 1 + 1?', expected: 2 },
  { id: 'hard', task: 'HARD: what is 2 + 2?', expected: 4, strata: { kind: 'hard' } },
]
const experiment = {
  tasks,
  scorer: 'numeric',
  seeds: [1, 2],
  base: { options: { topology: 'SINGLE', reflect: false, budget: { maxTokens: 20_000 } } },
  arms: { helps: { prompt: HINT }, harms: { prompt: NOISE } },
}

/** Knows the easy sum; the hard one with a hint; and nothing with noise. */
const sums = (text: string): string => {
  if (text.includes(NOISE)) return 'It is 99.'
  if (text.includes('EASY')) return 'It is 2.'
  return text.includes(HINT) ? 'It is 4.' : 'It is 5.'
}

const linesOf = ({ folder }: PreparedExperiment): Cell[] =>
  readFileSync(join(folder, 'cells.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Cell)

const quality = (cells: readonly Cell[], arm: string): number => {
  const own = cells.filter((cell) => cell.arm === arm)
  return own.reduce((sum, { score }) => sum + score, 0) / own.length
}

test('an arm that helps and one that harms differ from the base, and the base again does not', async () => {
  const world = makeWorld()
  const { flags } = scripted(sums)
  const prepared = await prepareIn(world, experiment, { flags })
  const seen: number[] = []
  const { done, total, cells, stopped } = await runExperiment(prepared, { onProgress: (at) => seen.push(at.done) })
  assert.is(done, 16)
  assert.is(total, 16)
  assert.is(stopped, undefined)
  assert.equal([quality(cells, 'base'), quality(cells, 'base-again')], [0.5, 0.5])
  assert.equal([quality(cells, 'helps'), quality(cells, 'harms')], [1, 0])
  assert.equal(
    seen,
    [...seen].sort((a, b) => a - b),
  )
  const [first] = cells
  assert.match(first?.evidence ?? '', /2 \(expected 2\)/)
  assert.ok((first?.inputTokens ?? 0) > 0 && first?.modelCalls === 1 && first.topology === 'SINGLE')
  for (const { bundle = '' } of cells) assert.ok(existsSync(join(prepared.folder, bundle)), bundle)
  // One task is done for all arms before the next begins.
  const order = linesOf(prepared).map(({ task }) => task)
  assert.is(order.slice(0, 7).includes('hard'), false)
})

test('an arm’s calls that the base has made are answered from its recording, and cost nothing', async () => {
  const world = makeWorld()
  const { flags, asked } = scripted(sums)
  const idle = definePlugin('idle', ({ hooks }) => {
    hooks.inspect.tap('idle', (answer) => answer)
  })()
  const arms = { idle: { plugin: idle }, helps: { prompt: HINT } }
  const prepare = (change: object, out: string) =>
    prepareCode(world, { ...experiment, arms, ...change }, { flags, out })
  const { cells, spent } = await runExperiment(await prepare({}, 'fill'))
  assert.ok(cells.filter(({ arm }) => arm === 'idle').every(({ replay }) => replay?.hits === 1 && replay.misses === 0))
  assert.ok(cells.filter(({ arm }) => arm === 'idle').every(({ replay }) => replay?.paidTokens === 0))
  assert.ok(
    cells
      .filter(({ arm }) => arm === 'helps')
      .every(({ replay, inputTokens, outputTokens }) => replay?.paidTokens === inputTokens + outputTokens),
  )
  assert.ok(cells.filter(({ arm }) => arm === 'helps').every(({ replay }) => replay?.hits === 0 && replay.misses === 1))
  assert.ok(cells.filter(({ arm }) => arm.startsWith('base')).every(({ replay }) => replay === undefined))
  assert.is(asked.length, 12)
  const paid = cells.filter(({ arm }) => arm !== 'idle')
  assert.is(
    spent.tokens,
    paid.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0),
  )

  let message = ''
  await runExperiment(await prepare({ replay: 'strict' }, 'strict')).catch(
    (thrown: Error) => (message = thrown.message),
  )
  assert.match(message, /arm helps, task \w+: /)
  const same = await prepare({ replay: 'strict', arms: { idle: arms.idle } }, 'same')
  assert.is((await runExperiment(same)).done, 12)
})

test('what is recorded is not made again, and a half-written line is', async () => {
  const world = makeWorld()
  const { flags, asked } = scripted(sums)
  const prepared = await prepareIn(world, experiment, { flags })
  const first = await runExperiment(await prepareIn(world, experiment, { flags, limit: 1 }))
  assert.is(first.total, 8)
  const before = asked.length
  appendFileSync(join(prepared.folder, 'cells.jsonl'), '{"arm":"base","task":"hard","se')
  const second = await runExperiment(prepared)
  assert.is(second.done, 16)
  assert.is(asked.length - before, 8)
  assert.is(linesOf(prepared).length, 16)
  await runExperiment(prepared)
  assert.is(asked.length - before, 8)
})

test('a folder of another experiment is refused with what differs, or moved aside', async () => {
  const world = makeWorld()
  const { flags, asked } = scripted(sums)
  await runExperiment(await prepareIn(world, experiment, { flags, limit: 1 }))
  const changed = { ...experiment, seeds: [1, 2, 3], arms: { helps: { prompt: `${HINT}!` } } }
  const prepared = await prepareIn(world, changed, { flags, limit: 1 })
  let message = ''
  await runExperiment(prepared).catch((thrown: Error) => (message = thrown.message))
  assert.match(message, /holds another experiment: seeds, arm helps, arm harms changed since.*--fresh/)
  const before = asked.length
  assert.is((await runExperiment(prepared, { fresh: true })).done, 9)
  assert.is(asked.length - before, 9)
  assert.is(readdirSync(join(prepared.folder, '..')).length, 2)
})

test('runs share no memory, and cannot read the expected answers or each other’s', async () => {
  const world = makeWorld({ 'notes.md': 'public\n' })
  const { flags } = scripted((text, { messages }) =>
    messages.at(-1)?.role === 'tool'
      ? `I saw ${text}`
      : {
          toolCalls: ['experiment.json', '.svc/experiments/experiment/cells.jsonl', 'notes.md'].map((path) => ({
            tool: 'read_file',
            args: { path },
          })),
        },
  )
  const answers = [{ id: 'a', task: 'Read the files.', expected: ['public'] }]
  const { seeds: _, ...rest } = experiment
  const prepared = await prepareIn(world, { ...rest, tasks: answers, scorer: 'contains', seeds: [1, 2] }, { flags })
  const { cells } = await runExperiment(prepared)
  assert.is(quality(cells, 'base'), 1)
  for (const { bundle = '' } of cells) {
    const said = readFileSync(join(prepared.folder, bundle), 'utf8')
    assert.match(said, /policy_denied/)
    assert.not.match(said, /"scorer"|\\"scorer\\"/)
  }
})

test('a failure that no arm is to blame for has no score, and is made again by the next call', async () => {
  const world = makeWorld()
  let isDown = true
  const { flags } = scripted((text) => {
    if (isDown && text.includes('HARD'))
      throw new ProviderError('provider_auth', 'the key was refused', { provider: 'scripted' })
    return sums(text)
  })
  const prepared = await prepareIn(
    world,
    { ...experiment, arms: { helps: { prompt: HINT } } },
    { flags, concurrency: 1 },
  )
  const first = await runExperiment(prepared)
  assert.is(first.done, 6)
  assert.is(first.stopped, 'outside')
  assert.match(first.lastError ?? '', /the key was refused/)
  assert.ok(first.cells.filter(({ outside }) => outside).every(({ error }) => error?.code === 'provider_auth'))
  isDown = false
  const second = await runExperiment(
    await prepareIn(world, { ...experiment, arms: { helps: { prompt: HINT } } }, { flags, concurrency: 1 }),
  )
  assert.is(second.done, 12)
  assert.is(second.outside, 0)
})

test('a run that fails by itself scores 0 and stays', async () => {
  const world = makeWorld()
  const { flags } = scripted((text) => {
    if (text.includes(NOISE)) throw new ProviderError('content_filtered', 'refused', { provider: 'scripted' })
    return sums(text)
  })
  const { cells, done, total } = await runExperiment(await prepareIn(world, experiment, { flags }))
  assert.is(done, total)
  const failed = cells.filter(({ arm }) => arm === 'harms')
  assert.ok(
    failed.every(
      ({ score, status, error }) => score === 0 && status === 'failed' && error?.code === 'content_filtered',
    ),
  )
})

test('the budget is never exceeded, what is done stays, and a higher one goes on', async () => {
  const world = makeWorld()
  const usage = { inputTokens: 3_000, outputTokens: 1_000 }
  const { flags, asked } = scripted((text) => ({ text: sums(text), usage }), { input: 1, output: 1 })
  const limited = { ...experiment, budget: { maxTokens: 50_000 } }
  const first = await runExperiment(await prepareIn(world, limited, { flags }))
  assert.is(first.stopped, 'budget')
  // A run of 4,000 tokens begins where 20,000 are left.
  assert.is(first.done, 8)
  assert.is(first.spent.tokens, 32_000)
  const more = { ...experiment, budget: { maxTokens: 500_000, maxCostUsd: 1 } }
  const second = await runExperiment(await prepareIn(world, more, { flags }))
  assert.is(second.done, 16)
  assert.is(asked.length, 16)
})

test('each run works in its own copy of the workspace, and a test command sees what it left', async () => {
  const world = makeWorld({ 'start/notes.md': 'start\n', 'check.mjs': CHECK })
  const { flags } = scripted((text, { messages }) =>
    messages.at(-1)?.role === 'tool'
      ? 'done'
      : {
          toolCalls: [
            { tool: 'write_file', args: { path: 'out.md', content: text.includes(HINT) ? 'right' : 'wrong' } },
          ],
        },
  )
  const writing = {
    ...experiment,
    tasks: [{ id: 'w', task: 'Write right into out.md.', expected: 'right', test: ['node', './check.mjs'] }],
    scorer: 'command',
    workspace: 'start',
    base: { options: { ...experiment.base.options, approval: 'allow-write' } },
  }
  const { cells } = await runExperiment(await prepareIn(world, writing, { flags, trust: true }))
  assert.equal([quality(cells, 'base'), quality(cells, 'helps')], [0, 1])
  assert.equal(readdirSync(join(world.work, 'start')), ['notes.md'])
})

test('a task with a workspace of its own works in a copy of that one', async () => {
  const world = makeWorld({ 'one/notes.md': 'one\n', 'two/notes.md': 'two\n' })
  const { flags } = scripted((_text, { messages }) => {
    const read = messages.at(-1)
    if (read?.role !== 'tool') return { toolCalls: [{ tool: 'read_file', args: { path: 'notes.md' } }] }
    return JSON.stringify(read.content).includes('two') ? 'two' : 'one'
  })
  const own = {
    ...experiment,
    tasks: ['one', 'two'].map((id) => ({ id, task: 'What do the notes say?', expected: id, workspace: id })),
    scorer: 'exact',
  }
  const { cells } = await runExperiment(await prepareIn(world, own, { flags }))
  assert.equal(quality(cells, 'base'), 1)
  writeFileSync(join(world.work, 'two/notes.md'), 'three\n')
  const changed = await prepareIn(world, own, { flags })
  assert.throws(() => estimate(changed), /workspace changed since/)
  const lost = { ...own, tasks: [{ id: 'a', task: 'b', expected: 'c', workspace: 'nowhere' }] }
  const error = await prepareIn(world, lost, { flags }).then(
    () => assert.unreachable(),
    (thrown: Error) => thrown,
  )
  assert.match(error?.message ?? '', /\/tasks\/0\/workspace .*nowhere is no folder/)
})

const CHECK =
  "import { readFileSync } from 'node:fs'\nprocess.exit(readFileSync('out.md', 'utf8') === 'right' ? 0 : 1)\n"

test('a judge is asked through the gateway, and its tokens are counted apart', async () => {
  const world = makeWorld()
  const { flags, asked } = scripted((text) =>
    text.includes('You judge one answer')
      ? {
          text: JSON.stringify({
            quotation: text.includes('It is 4') ? 'It is 4' : 'It is 1000',
            reason: 'r',
            score: 0.9,
          }),
          usage: { inputTokens: 70, outputTokens: 7 },
        }
      : sums(text),
  )
  const judged = {
    ...experiment,
    scorer: { judge: { rubric: 'The sum is right.' } },
    arms: { helps: { prompt: HINT } },
  }
  const { cells, spent } = await runExperiment(await prepareIn(world, judged, { flags }))
  const own = cells.find(({ arm, task }) => arm === 'helps' && task === 'hard')
  assert.is(own?.score, 0.9)
  assert.match(own?.evidence ?? '', /"It is 4" at character 0 of 8, 7 long/)
  assert.equal(own?.judge, { inputTokens: 70, outputTokens: 7, costUsd: null })
  const base = cells.find(({ arm, task }) => arm === 'base' && task === 'hard')
  assert.is(base?.score, 0)
  assert.match(base?.evidence ?? '', /the judge's quotation is not in the answer/)
  assert.is(asked.length, 24)
  const runs = cells.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0)
  assert.is(spent.tokens, runs + 12 * 77)
})

test('a scorer that fails in the middle is named with its run, which is kept and not paid again', async () => {
  const world = makeWorld()
  const { flags, asked } = scripted(sums)
  let isMended = false
  const scorer = ({ id, result }: { id: string; result: { summary: string } }): number => {
    if (!isMended && id === 'hard' && result.summary === 'It is 5.') throw new Error('boom')
    return 1
  }
  const whole = { ...experiment, concurrency: 1, seeds: [1], scorer }
  let message = ''
  const prepared = await prepareCode(world, whole, { flags })
  await runExperiment(prepared).catch((thrown) => (message = thrown.message))
  assert.match(message, /the scorer fails on arm base, task hard, seed 1: boom\. The run is kept/)
  const before = asked.length
  isMended = true
  const { done, cells } = await runExperiment(prepared)
  assert.is(done, 8)
  assert.is(asked.length, before + 3, 'the run whose scorer failed was not made again')
  assert.ok(cells.every(({ score }) => score === 1))
})

test('verdicts before the end are called preliminary', async () => {
  const world = makeWorld()
  const { flags } = scripted(sums)
  const part = await prepareIn(world, experiment, { flags, limit: 1 })
  await runExperiment(part)
  assert.match(toVerdicts(writeReports(part.folder).report)[0] ?? '', /^Preliminary: 8 of 16 runs are made/)
  const whole = await prepareIn(world, experiment, { flags })
  await runExperiment(whole)
  const { report } = writeReports(whole.folder)
  assert.not.match(toVerdicts(report).join(), /Preliminary/)
})

test.run()
