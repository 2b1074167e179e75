import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { wantsModelPlan } from '../src/components/adaptive-orchestrator/model-plan.ts'
import { TaskComplexityAnalyzer } from '../src/components/task-complexity-analyzer/index.ts'
import { decompose } from '../src/text/task/decompose.ts'
import { CHAT_PROMPTS, LIVE_REQUESTS, NEAR_REQUESTS, PARTED_REQUESTS } from './fixtures/everyday-requests.ts'

const test = suite('requests as people write them')
const analyzer = new TaskComplexityAnalyzer()
const analyze = (description: string) => analyzer.analyze({ id: 'task', description })
const isTeam = (text: string): boolean => analyze(text).recommendedTopology !== 'SINGLE'
const costsPlanning = (text: string): boolean => {
  const complexity = analyze(text)
  return wantsModelPlan('auto', complexity, {
    topology: complexity.recommendedTopology,
    underfunded: false,
    total: 64_000,
  })
}

for (const [name, requests, most] of [
  ['live requests', LIVE_REQUESTS, 0.01],
  ['chat prompts', CHAT_PROMPTS, 0.02],
  ['requests that name several things', NEAR_REQUESTS, 0.03],
] as const) {
  test(`at most ${most * 100} % of the ${name} go to a team`, () => {
    const wrong = requests.filter(isTeam)
    assert.ok(wrong.length <= requests.length * most, wrong.join('\n'))
  })
}

test('a plain request costs no call for its plan', () => {
  assert.equal(LIVE_REQUESTS.filter(costsPlanning), [])
  const asked = CHAT_PROMPTS.filter(costsPlanning)
  assert.ok(asked.length <= 2, asked.join('\n'))
})

test('more than half of the requests with parts go to a team', () => {
  const teams = PARTED_REQUESTS.filter(isTeam)
  assert.ok(teams.length >= 25, `${teams.length} of ${PARTED_REQUESTS.length}`)
})

test('material to work on, and what one thing has to be, are no parts', () => {
  for (const text of [
    'Rewrite this email so that it is friendlier:\n\nPlease update the sheet. Then check the totals. Send the result to Ann.',
    'Proofread my letter:\nFind the flat. Write to the owner. Compare the prices.',
    'Write a function that\n1. takes a list\n2. sorts it\n3. returns the first item',
    'Build an app. Requirements:\n- works offline\n- dark mode\n- syncs with the phone',
  ])
    assert.is(decompose(text).parts.length, 1, text)
})

test('each thing of an enumeration is a part where it is worth one', () => {
  const objectives = (text: string) => decompose(text).parts.map(({ objective }) => objective)
  assert.equal(objectives('Summarise each of these three files: a.md, b.md, c.md'), [
    'Summarise each of these three files: a.md',
    'Summarise each of these three files: b.md',
    'Summarise each of these three files: c.md',
  ])
  assert.equal(objectives('Research the market for bikes in Denmark, Norway and Sweden, one section per country.'), [
    'Research the market for bikes in Denmark, one section per country.',
    'Research the market for bikes in Norway, one section per country.',
    'Research the market for bikes in Sweden, one section per country.',
  ])
  assert.equal(objectives('Merge a.pdf, b.pdf and c.pdf into one file').length, 1)
})

test('a part keeps what may hold for all: its sentence goes with it', () => {
  const task = 'Write a market analysis, a financial plan and a marketing plan for a bakery in Ghent'
  const { parts } = decompose(task)
  assert.is(parts.length, 3)
  for (const { objective } of parts) assert.ok(objective.includes('for a bakery in Ghent'), objective)
})

test.run()
