/** `svc experiment` from the outside: what is said, what is paid, and what a killed process leaves. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dropIn, type ModelServer, startModelServer } from './fixtures/model-server.ts'
import { until } from './fixtures/notes.ts'
import { addFiles, begin, each, makeWorld, type Outcome, STACK, svc, type World } from './fixtures/world.ts'

const test = suite('svc experiment')

interface PricedServer extends ModelServer {
  /** From this call on it does not answer, so that a process can be stopped in the middle of one. Default: it always does. */
  holdsFrom: number
}

async function startPricedServer(): Promise<PricedServer> {
  const server = await startModelServer((_asked, turn) => (_, response) => {
    if (turn >= priced.holdsFrom) return
    const message = { role: 'assistant', content: 'The answer is 42.' }
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        id: 'chat',
        created: 1,
        model: 'small',
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage,
      }),
    )
  })
  const priced = { ...server, holdsFrom: Number.POSITIVE_INFINITY }
  return priced
}

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
  readFileSync(join(folderOf(world), 'cells.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const RUN = ['experiment', 'experiment.json']

test('an experiment is checked without a call, made, reported, and not made twice', async () => {
  const server = await startPricedServer()
  try {
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
    assert.match(full.err, /24 of 24 runs are recorded, 2,640 tokens/)
    assert.not.match(full.err, /score|quality \d/)
    assert.match(full.out, /^polite: .*\.$/m)
    for (const form of ['json', 'md', 'html']) {
      assert.match(full.out, new RegExp(`experiments/experiment/report\\.${form}$`, 'm'))
      assert.ok(existsSync(join(folderOf(world), `report.${form}`)))
    }
    assert.is(again.err, '')
    assert.is((JSON.parse(again.out) as { comparisons: unknown[] }).comparisons.length, 1)
    assert.match(report.out, /report\.html/)
    assert.is(server.asked.length, 24)
  } finally {
    await server.close()
  }
})

test('a killed experiment goes on, and pays only the calls in flight again', async () => {
  const server = await startPricedServer()
  try {
    const world = worldOf(server)
    // After so many more answers.
    const kills = [0, 5, 2]
    for (const answers of kills) {
      server.holdsFrom = server.asked.length + answers
      const running = begin(world, RUN)
      await until(() => server.asked.length > server.holdsFrom)
      running.child.kill('SIGKILL')
      await running.outcome
    }
    server.holdsFrom = Number.POSITIVE_INFINITY
    const { code, err } = await svc(world, RUN)
    assert.is(code, 0, err)
    const cells = linesOf(world).map(({ arm, task, seed }) => `${arm} ${task} ${seed}`)
    assert.is(cells.length, 24)
    assert.is(new Set(cells).size, 24)
    assert.ok(server.asked.length <= 24 + kills.length * 2, `${server.asked.length} calls`)
    const left = readdirSync(folderOf(world)).filter((name) => name.startsWith('lock'))
    assert.equal(left, [])
  } finally {
    await server.close()
  }
})

test('Ctrl-C stops it with what is recorded, and a second process is kept out', async () => {
  const server = await startPricedServer()
  try {
    const world = worldOf(server, { seeds: [1, 2, 3, 4, 5, 6, 7, 8] })
    server.holdsFrom = 3
    const running = begin(world, RUN)
    await until(() => server.asked.length > server.holdsFrom)
    const second = await svc(world, RUN)
    assert.is(second.code, 1)
    assert.match(second.err, /another process works on this experiment: process \d+ .* \[run_active\]/)
    running.child.kill('SIGINT')
    const { code, err } = await running.outcome
    assert.is(code, 130, err)
    assert.match(err, /svc: stopped; svc experiment experiment\.json goes on where it was/)
    assert.not.match(err, STACK)
    assert.is(existsSync(join(folderOf(world), 'lock')), false)
  } finally {
    await server.close()
  }
})

test('a budget that is used up ends it with exit code 6 and says how to go on', async () => {
  const server = await startPricedServer()
  try {
    const world = worldOf(server, { budget: { maxTokens: 11_000 } })
    const { code, err } = await svc(world, RUN)
    assert.is(code, 6, err)
    assert.match(err, /the budget of the experiment does not allow another run: raise \/budget/)
    // Two runs of 110 tokens may begin together only where 20,000 are left.
    assert.is(server.asked.length, 10)
  } finally {
    await server.close()
  }
})

test('code runs only where it is trusted, and imports what this svc has', async () => {
  const server = await startPricedServer()
  try {
    const world = worldOf(server)
    addFiles(world.work, {
      'code.ts': `import { defineExperiment } from '@svc/sdk/experiment'
import { tasks } from './tasks.ts'
export default defineExperiment({
  tasks, seeds: [1], aa: false,
  base: { options: { topology: 'SINGLE', reflect: false } },
  scorer: ({ result, expected }) => ({ score: result.summary.includes(String(expected)) ? 1 : 0, evidence: 'own' }),
  arms: { slotted: { component: { inspect: './quiet.ts' } } },
})`,
      'tasks.ts': `export const tasks = ${JSON.stringify(TASKS.slice(0, 2))}`,
      'quiet.ts': `import { definePlugin } from '@svc/core'\nexport default definePlugin('quiet', () => {})()`,
    })
    const order = ['experiment', 'code.ts', '--json', '-q']
    const [refused, , trusted] = (await each(world, [order, ['trust', 'code.ts'], order])) as [
      Outcome,
      Outcome,
      Outcome,
    ]
    assert.is(refused.code, 3)
    assert.match(refused.err, /code\.ts: is code, and its folder is not trusted; run "svc trust code\.ts"/)
    assert.is(trusted.code, 0, trusted.err)
    // The arm asks what the base has asked.
    assert.is(server.asked.length, 2)
    addFiles(world.work, {
      'quiet.ts': `import { definePlugin } from '@svc/core'\nexport default definePlugin('loud', () => {})()`,
    })
    const [changed, other, fresh] = await each(world, [order, [...order, '--trust'], [...order, '--trust', '--fresh']])
    assert.is(changed.code, 3)
    assert.match(changed.err, /quiet\.ts: changed since this folder was trusted/)
    assert.is(other.code, 3)
    assert.match(other.err, /holds another experiment: arm slotted changed since/)
    assert.is(fresh.code, 0, fresh.err)
  } finally {
    await server.close()
  }
})

test('mistakes in the words are named', async () => {
  const world = makeWorld({ 'experiment.json': experiment({ tasks: TASKS }) })
  const cases: readonly (readonly [args: string[], code: number, message: RegExp])[] = [
    [['experiment'], 2, /svc experiment needs a file/],
    [['experiment', 'absent.yaml'], 3, /absent\.yaml: cannot be read \(ENOENT\)/],
    [[...RUN, 'more'], 2, /too many words: "more"/],
    [[...RUN, '--arm', 'polit'], 2, /--arm "polit" is no arm of this experiment: did you mean polite\?/],
    [[...RUN, '--limit', '0'], 2, /--limit must be a whole number of at least 1/],
    [[...RUN, '--report'], 3, /holds no experiment yet/],
    [[...RUN, '--report', '--fresh'], 2, /--report runs nothing/],
  ]
  const outcomes = await each(
    world,
    cases.map(([args]) => args),
  )
  for (const [index, [args, code, message]] of cases.entries()) {
    const { code: ended, err } = outcomes[index] as Outcome
    assert.is(ended, code, `${args.join(' ')}: ${err}`)
    assert.match(err, message)
    assert.not.match(err, STACK)
  }
})

test.run()
