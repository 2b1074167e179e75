/** `svc experiment` from the outside: what is said, what is paid, and what a killed process leaves. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../server/test/fixtures/until.ts'
import { dropIn, type ModelServer, startModelServer } from './fixtures/model-server.ts'
import { each, jsonLines, svc } from './fixtures/svc.ts'
import { begin, makeWorld, STACK, type World } from './fixtures/world.ts'

const test = suite('svc experiment')

/** From this call on the model does not answer, so that a process can be stopped in the middle of one. */
let holdsFrom = Number.POSITIVE_INFINITY

const startServer = (): Promise<ModelServer> =>
  startModelServer((_, turn) => (turn < holdsFrom ? 'The answer is 42.' : () => {}))

const TASKS = ['one', 'two', 'three', 'four'].map((id) => ({ id, task: `${id}: what is 6 x 7?`, expected: 42 }))
const experiment = (change: object = {}): object => ({
  tasks: 'tasks.jsonl',
  scorer: 'numeric',
  seeds: [1, 2],
  base: { options: { topology: 'SINGLE', reflect: false, budget: { maxTokens: 10_000 } } },
  arms: { polite: { prompt: 'Be polite.' } },
  ...change,
})

const worldOf = (server: ModelServer, change: object = {}): World =>
  makeWorld(
    {
      'experiment.json': experiment(change),
      'tasks.jsonl': TASKS.map((task) => JSON.stringify(task)).join('\n'),
    },
    { 'providers/mine.json': dropIn(server), 'svc.config.json': { model: 'mine/small' } },
  )

const folderOf = ({ work }: World): string => join(work, '.svc/experiments/experiment')
const linesOf = (world: World): { arm: string; task: string; seed: number }[] =>
  jsonLines(readFileSync(join(folderOf(world), 'cells.jsonl'), 'utf8'))

const RUN = ['experiment', 'experiment.json']

test('an experiment is checked without a call, made, reported, and not made twice', async () => {
  const server = await startServer()
  const world = worldOf(server)
  const [dry, full, again, report] = await each(world, [
    [...RUN, '--dry-run', '--json'],
    RUN,
    [...RUN, '--json', '-q'],
    [...RUN, '--report'],
  ])
  assert.is(dry.code, 0, dry.err)
  assert.equal([(JSON.parse(dry.out) as { runs: number }).runs, dry.err], [24, ''])
  assert.is(full.code, 0, full.err)
  assert.match(full.err, /3 arms x 4 tasks x 2 seeds = 24 runs, 0 of them recorded/)
  assert.match(full.err, /too few tasks, or families of tasks, to show any difference/)
  assert.match(full.err, /24 of 24 runs are recorded, 600 tokens/)
  assert.not.match(full.err, /score|quality \d/)
  assert.match(full.out, /^No run failed\.\nbase-again: .*\.\npolite: .*\.$/m)
  for (const form of ['json', 'md']) {
    assert.match(full.out, new RegExp(`experiments/experiment/report\\.${form}$`, 'm'))
    assert.ok(existsSync(join(folderOf(world), `report.${form}`)))
  }
  assert.is(again.err, '')
  assert.is((JSON.parse(again.out) as { comparisons: unknown[] }).comparisons.length, 1)
  assert.match(report.out, /report\.md/)
  assert.is(server.asked.length, 24)
})

test('a killed or stopped experiment goes on, pays only the calls in flight again, and keeps a second process out', async () => {
  const server = await startServer()
  const world = worldOf(server)
  // After so many more answers.
  const stops = [
    [0, 'SIGKILL'],
    [5, 'SIGKILL'],
    [2, 'SIGINT'],
  ] as const
  for (const [answers, signal] of stops) {
    holdsFrom = server.asked.length + answers
    const running = begin(world, RUN)
    await until(() => server.asked.length > holdsFrom)
    if (signal === 'SIGINT') {
      const second = await svc(world, RUN)
      assert.is(second.code, 1)
      assert.match(second.err, /another process works on this experiment: process \d+ .* \[run_active\]/)
    }
    running.child.kill(signal)
    const { code, err } = await running.outcome
    if (signal === 'SIGKILL') continue
    assert.is(code, 130, err)
    assert.match(err, /svc: stopped; svc experiment experiment\.json goes on where it was/)
    assert.not.match(err, STACK)
  }
  holdsFrom = Number.POSITIVE_INFINITY
  const { code, err } = await svc(world, RUN)
  assert.is(code, 0, err)
  const cells = linesOf(world).map(({ arm, task, seed }) => `${arm} ${task} ${seed}`)
  assert.is(new Set(cells).size, 24)
  assert.ok(server.asked.length <= 24 + stops.length * 2, `${server.asked.length} calls`)
  assert.equal(
    readdirSync(folderOf(world)).filter((name) => name.startsWith('lock')),
    [],
  )
})

test('a budget that is used up ends it with exit code 6 and says how to go on', async () => {
  const server = await startServer()
  const world = worldOf(server, { budget: { maxTokens: 10_200 } })
  const { code, err } = await svc(world, RUN)
  assert.is(code, 6, err)
  assert.match(err, /the budget of the experiment does not allow another run: raise \/budget/)
  // Two runs of 25 tokens may begin together only where 20,000 are left.
  assert.is(server.asked.length, 9)
})

test.run()
