/** The live tree in a terminal that keeps what scrolls away: nothing of it may stay there. */
import { sequentialPlan } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dropIn, inPieces, type ModelServer, startModelServer } from './fixtures/model-server.ts'
import { until } from './fixtures/notes.ts'
import { hasTmux, inTmux, type Pane } from './fixtures/tmux.ts'
import { makeWorld, type World } from './fixtures/world.ts'

const test = suite('tmux')

const STEPS = 6
const AGENTS = ['architect-of-the-harbour', 'writer-of-the-課題-chapter']
/** Higher and wider than every screen here, with signs that take two cells, or stand over others. */
const LONG = `${'課題 and 👩‍🚀 e\u0301 '.repeat(20)}\n`.repeat(30)
const base = sequentialPlan(Array.from({ length: STEPS }, (_, n) => `Part ${n + 1}: ${'課題を書く '.repeat(30)}`))
const PLAN = {
  ...base,
  agents: AGENTS.map((agentId) => ({ agentId, name: agentId, role: 'worker' })),
  steps: base.steps.map((step, n) => ({ ...step, agentId: AGENTS[n % 2] })),
}

const RUN = ['run', '--trust', '--budget', '900000', 'Write of the harbour']
let server: ModelServer
let world: World
/** How many parts may be written to their end. */
let mayEnd = 0
let asked = 0

test.before(async () => {
  server = await startModelServer(() => {
    const turn = ++asked
    return inPieces([LONG, `Part ${turn} is done.`], (index) =>
      index === 0 ? Promise.resolve() : until(() => mayEnd >= turn),
    )
  })
  const files = {
    '.svc/plugins/plan.mjs': `export default { name: 'own-plan', apply: (host) => host.hooks.plan.tap('own-plan', () => (${JSON.stringify(PLAN)})) }`,
  }
  world = makeWorld(files, { 'providers/mine.json': dropIn(server) })
})
test.after(() => server.close())

/** Each step and each agent of a step stands there once, with its whole name. */
function assertOnce(all: string, from: number, to: number): void {
  const flat = all.replace(/\n {4}/g, ' ')
  for (let n = from; n <= to; n++) {
    const line = `step-${n} ${AGENTS[(n - 1) % 2]}`
    assert.is(flat.split(line).length, 2, `${line}:\n${all}`)
  }
  assert.is(all.match(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g)?.length, 1, all)
}

const assertGone = (all: string): void => assert.not.match(all, /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏◌✓]|step-\d /)

if (!hasTmux) {
  test('the live tree in tmux is not tested here: there is no tmux', () => console.log('skipped: install tmux'))
} else {
  for (const [columns, rows] of [
    [80, 24],
    [40, 10],
  ] as const) {
    test(`at ${columns} columns and ${rows} rows the tree is there once while it lives, and not at all when it has ended`, async () => {
      mayEnd = asked = 0
      const pane = inTmux(world, RUN, { columns, rows })
      try {
        for (let n = 1; n <= STEPS; n++) {
          await pane.shows(new RegExp(`◌ step-${n} `))
          if (rows > 20) assertOnce(pane.all(), 1, n)
          else assertOnce(pane.all(), n, n)
          mayEnd = n
        }
        await pane.end()
        await assertEnd(pane)
      } finally {
        pane.close()
      }
    })
  }

  test('a terminal that is resized keeps no frozen frame, and shows the whole tree again', async () => {
    mayEnd = asked = 0
    const pane = inTmux(world, RUN, { columns: 80, rows: 24 })
    try {
      await pane.shows(/◌ step-1 /)
      mayEnd = 3
      await pane.shows(/◌ step-4 [\s\S]*課題 and/)
      pane.resize(40, 10)
      await pane.shows(/and \d more[\s\S]*◌ step-4 /)
      assertOnce(pane.all(), 4, 4)
      pane.resize(100, 30)
      await pane.shows(/step-1 [\s\S]*step-2 [\s\S]*step-3 [\s\S]*◌ step-4 /)
      assertOnce(pane.all(), 1, 4)
      pane.resize(60, 24)
      mayEnd = STEPS
      await pane.end()
      await assertEnd(pane)
    } finally {
      pane.close()
    }
  })
}

/** The answer, and one line with the whole id of the run; nothing of the tree above them. */
async function assertEnd(pane: Pane): Promise<void> {
  await pane.shows(/Part 6 is done\./)
  const all = pane.all()
  assertGone(all)
  assert.is(all.match(/\brun_[0-9A-Z]{26}$/gm)?.length, 2, all)
}

test.run()
