/** `svc experiment topology` from the outside: runs of each topology, made by svc itself, and what they say. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dropIn, startModelServer } from './fixtures/model-server.ts'
import { addFiles, each, makeWorld, type Outcome, STACK, type World } from './fixtures/world.ts'

const test = suite('svc experiment topology')

const TASKS = [
  { id: 'count', task: 'How many apples are in a barn with 17 apples?', expected: '42' },
  {
    id: 'compare',
    task: 'Compare the companies Alpha, Beta and Gamma. List the revenue of each, then write a report that ranks them.',
    expected: '42',
  },
  {
    id: 'research',
    task: 'Research the databases Postgres, MySQL, SQLite, Oracle, Redis and DuckDB in parallel. For each, list its licence and summarise it.',
    expected: '43',
  },
]

const EXPERIMENT = `
tasks: tasks.jsonl
scorer: contains
seeds: [1]
aa: false
base: { options: { topology: AUTO, reflect: false } }
arms:
  one: { topology: SINGLE }
  wide: { topology: PARALLEL }
  chain: { topology: SEQUENTIAL }
  star: { topology: CENTRALIZED }
`

const TOPOLOGY = ['experiment', 'topology']
const worldOf = (files: Record<string, unknown>, own: Record<string, unknown> = {}): World =>
  makeWorld({ 'tasks.jsonl': TASKS.map((task) => JSON.stringify(task)).join('\n'), ...files }, own)

test('an experiment with an arm for each topology says what the automatic choice is worth', async () => {
  const server = await startModelServer(() => 'The answer is 42.')
  try {
    const world = worldOf(
      { 'choice.yaml': EXPERIMENT },
      { 'providers/mine.json': dropIn(server), 'svc.config.json': { model: 'mine/small' } },
    )
    const [early, made, text, json] = await each(world, [
      [...TOPOLOGY, 'choice.yaml'],
      ['experiment', 'choice.yaml', '-q'],
      [...TOPOLOGY, 'choice.yaml'],
      [...TOPOLOGY, '.svc/experiments/choice', '--json'],
    ])
    assert.is(early.code, 3)
    assert.match(early.err, /experiments\/choice: holds no experiment yet: make its runs with svc experiment/)
    assert.is(made.code, 0, made.err)
    assert.equal([text.code, text.err], [0, ''])
    assert.match(text.out, /^# choice: the choice of a topology$/m)
    assert.match(text.out, /3 tasks of 3 families, 3 runs of each arm\. The automatic choice scored 66\.7 %/)
    assert.match(text.out, /^\| the best fixed topology \(SINGLE\) \| \+0\.0 \|/m)
    const report = JSON.parse(json.out)
    const fixed = report.fixed.map(({ topology }: { topology: string }) => topology).sort()
    assert.equal(fixed, ['CENTRALIZED', 'PARALLEL', 'SEQUENTIAL', 'SINGLE'])
    assert.equal([report.tasks, report.runs, report.equalTasks, report.notCalibrated], [3, 3, 3, 0])
    assert.ok(report.choices.length > 1, JSON.stringify(report.choices))
    // What was measured is enough: neither provider nor file of the experiment is needed.
    await server.close()
    rmSync(join(world.work, 'choice.yaml'))
    const [alone] = await each(world, [[...TOPOLOGY, '.svc/experiments/choice']])
    assert.is(alone.out, text.out)
  } finally {
    await server.close()
  }
})

test('what cannot be read or compared is named', async () => {
  const design = (arms: object[]): object => ({
    format: 1,
    name: 'bare',
    arms: [{ id: 'base', factors: [], change: 'nothing', configHash: '' }, ...arms],
    tasks: [],
    seeds: [1],
  })
  const single = { id: 'one', factors: ['topology'], change: '', configHash: '', topology: 'SINGLE' }
  const world = worldOf({ 'choice.yaml': EXPERIMENT })
  addFiles(world.work, {
    'none/design.json': design([]),
    'bare/design.json': design([single]),
    'broken/design.json': '{}',
    'empty/notes.txt': '',
  })
  const cases: readonly (readonly [args: string[], code: number, message: RegExp])[] = [
    [[], 2, /svc experiment topology needs an experiment: its file, or its folder/],
    [['absent.yaml'], 3, /absent\.yaml: cannot be read \(ENOENT\)/],
    [['empty'], 3, /empty: holds no experiment yet/],
    [['broken'], 3, /broken\/design\.json: cannot be read/],
    [['none'], 2, /experiment bare has no arm that differs from the base in a fixed topology alone/],
    [['bare'], 2, /experiment bare has no runs yet/],
    [['choice.yaml', 'more'], 2, /too many words: "more"/],
    [['choice.yaml', '--dry-run'], 2, /--dry-run is no option of svc experiment topology/],
    [['bare', '--out', 'other'], 2, /--out names a folder, and bare is one/],
  ]
  const outcomes = await each(
    world,
    cases.map(([args]) => [...TOPOLOGY, ...args]),
  )
  for (const [index, [args, code, message]] of cases.entries()) {
    const { code: ended, err } = outcomes[index] as Outcome
    assert.is(ended, code, `${args.join(' ')}: ${err}`)
    assert.match(err, message)
    assert.not.match(err, STACK)
  }
})

test.run()
