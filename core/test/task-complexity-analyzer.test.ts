import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Outcome, TaskComplexityAnalyzer } from '../src/components/task-complexity-analyzer/index.ts'
import { Complexity } from '../src/contracts/complexity.ts'
import type { RiskLevel, Topology } from '../src/contracts/words.ts'
import { SvcError } from '../src/errors.ts'
import { fits } from '../src/validate.ts'
import { SINGLE_REQUESTS, TEAM_REQUESTS } from './fixtures/single-requests.ts'

const test = suite('TaskComplexityAnalyzer')
const analyzer = new TaskComplexityAnalyzer()
const analyze = (description: string, riskLevel?: RiskLevel): Complexity =>
  analyzer.analyze({ id: 'task-1', description, ...(riskLevel === undefined ? {} : { riskLevel }) })

const EXPECTED: readonly [description: string, topologies: readonly Topology[], riskLevel?: RiskLevel][] = [
  ['Explain the architecture of this repository', ['SINGLE']],
  ['Summarise README.md', ['SINGLE']],
  ['Fix it', ['SINGLE']],
  ['List the files of this folder and count the lines of each', ['SINGLE']],
  ['What licence does this package have?', ['SINGLE']],
  ['Write a short story about a lighthouse. Keep it under 200 words and use simple language.', ['SINGLE']],
  [
    'A baker has 24 loaves. She sells a third of them in the morning and 5 more after lunch. Then she bakes 10 more. How many loaves does she have at the end of the day?',
    ['SINGLE'],
  ],
  [
    'The first train has 3 wagons, the second train has 5 wagons and the third train has twice as many as the first. How many wagons are there altogether?',
    ['SINGLE'],
  ],
  ['Research the top 10 vector databases and compare price, license and speed', ['SINGLE']],
  ['Research Redis, Kafka, NATS and Pulsar and compare price, license and speed', ['PARALLEL', 'CENTRALIZED']],
  ['Review each module of the project: core, plugins, server, sdk and cli', ['PARALLEL', 'CENTRALIZED']],
  ['Translate the text into French, German and Spanish', ['PARALLEL', 'CENTRALIZED']],
  [
    'Please do the following:\n- research our three competitors\n- draft a pricing page\n- write a blog post about the launch',
    ['PARALLEL', 'CENTRALIZED'],
  ],
  ['Extract the text, then translate it, then summarise the result', ['SINGLE', 'SEQUENTIAL']],
  [
    'Extract the text of the scans, then translate it, then design a web page for it, then deploy it, then write a report on the work',
    ['SEQUENTIAL'],
  ],
  [
    'First, find a hotel in Lisbon for 3 nights. Second, check the weather there for next week. Lastly, could you book a table for two on Friday?',
    ['PARALLEL', 'CENTRALIZED'],
  ],
  [
    'Analyse the logs of Atlas, Borealis and Corvus, then write a report, design a fix, review the design and deploy it',
    ['CENTRALIZED', 'HYBRID', 'PARALLEL'],
  ],
  [
    'Diagnose why the best strategy might somehow fail, prove the cause, argue the trade-offs of some better design and explore something more suitable',
    ['DECENTRALIZED', 'HYBRID'],
    'critical',
  ],
]

test('leaves everyday requests for one agent to one agent', () => {
  const teams = SINGLE_REQUESTS.filter((request) => analyze(request).recommendedTopology !== 'SINGLE')
  assert.equal(teams, [])
})

test('sends requests with clear parts to a team', () => {
  const alone = TEAM_REQUESTS.filter((request) => analyze(request).recommendedTopology === 'SINGLE')
  assert.equal(alone, [])
})

for (const [description, topologies, riskLevel] of EXPECTED) {
  test(`recommends ${topologies.join(' or ')} for "${description.slice(0, 60)}"`, () => {
    const { recommendedTopology, explanation } = analyze(description, riskLevel)
    assert.ok(topologies.includes(recommendedTopology), `${recommendedTopology}: ${explanation.join(' ')}`)
  })
}

test('answers in the shape of the contract, with everything explained', () => {
  const complexity = analyze('Research Redis, Memcached and Dragonfly and write a report')
  assert.ok(fits(Complexity, complexity))
  assert.is(complexity.taskId, 'task-1')
  assert.is(complexity.source, 'lexical')
  assert.is(complexity.alternatives.length, 5)
  assert.not(complexity.alternatives.some(({ topology }) => topology === complexity.recommendedTopology))
  const utilities = complexity.alternatives.map(({ utility }) => utility)
  assert.equal(
    utilities,
    [...utilities].sort((a, b) => b - a),
  )
  const sum = Object.values(complexity.contributions).reduce((total, value) => total + value, 0)
  assert.ok(Math.abs(1 - Math.exp(-2 * sum) - complexity.score) < 1e-12)
  assert.match(complexity.explanation.join(' '), /It falls into \d+ parts/)
  for (const sentence of complexity.explanation) assert.match(sentence, /^[A-Z].*\.$/)
})

test('counts parts by structure, not by length', () => {
  const padding = 'Take into account that the reader is patient and that the weather was quite pleasant yesterday. '
  const long = analyze(`${padding.repeat(20)}Explain the architecture of this repository.`)
  assert.is(long.recommendedTopology, 'SINGLE')
  assert.is(long.features.breadth, 0)
  const short = analyze('Compare Redis, Memcached, Dragonfly and Valkey')
  assert.ok((short.features.breadth ?? 0) > 0.7)
})

test('asks for as many agents as there are parts, two to four, and one for SINGLE', () => {
  assert.is(analyze('Compare Redis, Memcached and Dragonfly').agents, 3)
  assert.is(analyze('Compare Redis, Memcached, Dragonfly, Valkey and KeyDB').agents, 4)
  const single = analyze('Summarise README.md')
  assert.is(single.agents, 1)
  // 2.72 * 1.5 ** 1.724, Kim et al., 2025
  assert.is(single.estimatedTurns, 5.5)
})

test('asks back what the task leaves open, and nothing where it is clear', () => {
  assert.match(analyze('Find the best laptop').openQuestions.join(' '), /Best by which measure\?/)
  assert.match(analyze('Fix it').openQuestions.join(' '), /What does the object of "fix" refer to\?/)
  assert.equal(analyze('Count the lines of core/src/index.ts').openQuestions, [])
})

test('does not let the risk change the score, only the topology', () => {
  const description = 'Review the design, argue the trade-offs and explore something better'
  assert.is(analyze(description, 'critical').score, analyze(description).score)
  const low = analyze(description).utilities.DECENTRALIZED ?? 0
  assert.ok((analyze(description, 'critical').utilities.DECENTRALIZED ?? 0) > low)
})

test('does not count conditions on the answer as work', () => {
  const complexity = analyze(
    'Write an email to the landlord. Keep it short. Use plain words. Include the date. Make sure it is polite.',
  )
  assert.is(complexity.features.steps, analyze('Write an email to the landlord.').features.steps)
  assert.is(complexity.recommendedTopology, 'SINGLE')
})

test('leaves quoted and fenced material out', () => {
  const fenced = analyze('Explain this code:\n```\nbuild(a, b, and c); write tests; deploy it; compare x\n```')
  assert.is(fenced.features.breadth, 0)
  const quoted = analyze('Translate "build a house, plant a tree and write a book"')
  assert.is(quoted.features.steps, analyze('Translate "home"').features.steps)
})

test('reads lists in any language', () => {
  const { features } = analyze('Research:\n1. базы данных\n2. очереди\n3. кэши')
  assert.ok((features.breadth ?? 0) > 0.5)
})

test('falls back to the default topology that was set', () => {
  const careful = new TaskComplexityAnalyzer({ defaultTopology: 'CENTRALIZED' })
  const complexity = careful.analyze({ id: 'task-1', description: 'Summarise README.md' })
  assert.is(complexity.recommendedTopology, 'CENTRALIZED')
  assert.match(complexity.explanation.join(' '), /although/)
  assert.throws(
    () => new TaskComplexityAnalyzer({ defaultTopology: 'STAR' as Topology }),
    /defaultTopology must be one of/,
  )
})

test('refuses what is no task, naming the field', () => {
  for (const [task, pattern] of [
    [{ id: 'task-1', description: '' }, /\/description/],
    [{ id: 'task-1', description: 'x'.repeat(200_001) }, /\/description/],
    [{ id: 'task-1', description: 'x', riskLevel: 'huge' }, /\/riskLevel/],
  ] as const) {
    try {
      analyzer.analyze(task as never)
      assert.unreachable()
    } catch (error) {
      assert.ok(SvcError.isInstance(error))
      assert.is(error.code, 'validation_failed')
      assert.match(error.message, pattern)
    }
  }
})

test('learns from outcomes per domain and topology', () => {
  const learner = new TaskComplexityAnalyzer()
  const task = { id: 'task-1', description: 'Compare Redis, Memcached and Dragonfly', domain: 'Databases' }
  const before = learner.analyze(task)
  const outcome = (topology: Topology, success: boolean): Outcome => ({
    features: {},
    topology,
    domain: 'databases',
    success,
  })
  for (let run = 0; run < 20; run++) {
    learner.record(outcome('PARALLEL', false))
    learner.record(outcome('SINGLE', true))
  }
  const after = learner.analyze(task)
  assert.is(before.recommendedTopology, 'PARALLEL')
  assert.is(after.recommendedTopology, 'SINGLE')
  assert.is(after.source, 'calibrated')
  assert.is(after.score, before.score)
  const elsewhere = learner.analyze({ ...task, domain: 'gardening' })
  assert.equal(elsewhere, before)
  const heir = new TaskComplexityAnalyzer({ weights: JSON.parse(JSON.stringify(learner.weights)) })
  assert.equal(heir.analyze(task), after)
})

test('knows one outcome more in another analyzer, and is itself unchanged', () => {
  const task = { id: 'task-1', description: 'Summarise README.md' }
  const before = analyzer.analyze(task)
  const next = analyzer.withOutcome({ features: {}, topology: 'SINGLE', success: false })
  assert.is(next.analyze(task).source, 'calibrated')
  assert.equal(analyzer.analyze(task), before)
  assert.equal(next.weights.outcomes, { general: { SINGLE: { successes: 0, failures: 1 } } })
})

test('moves a utility by half of what the outcomes add to a prior of eight', () => {
  const learner = new TaskComplexityAnalyzer()
  const task = { id: 'task-1', description: 'Summarise README.md' }
  const before = learner.analyze(task).utilities.SINGLE ?? 0
  learner.calibrate([{ features: {}, topology: 'SINGLE', success: false }])
  const after = learner.analyze(task).utilities.SINGLE ?? 0
  assert.ok(Math.abs(after - (before + 0.5 * ((8 * before) / 9 - before))) < 1e-12)
  learner.calibrate([])
  assert.is(learner.analyze(task).utilities.SINGLE, before)
})

test('keeps one agent where one agent is known to succeed and a team is not clearly better', () => {
  const learner = new TaskComplexityAnalyzer()
  const description = 'Extract the text, then check it, then translate it, then summarise it, then print it'
  assert.is(learner.analyze({ id: 'task-1', description }).recommendedTopology, 'SEQUENTIAL')
  learner.calibrate(
    Array.from({ length: 10 }, (_, run): Outcome => ({ features: {}, topology: 'SINGLE', success: run < 6 })),
  )
  const { recommendedTopology, explanation } = learner.analyze({ id: 'task-1', description })
  assert.is(recommendedTopology, 'SINGLE')
  assert.match(explanation.join(' '), /60 % of such tasks/)
})

test('is not confused by domains named like what objects inherit', () => {
  const learner = new TaskComplexityAnalyzer()
  for (const domain of ['__proto__', 'constructor', 'toString']) {
    learner.record({ features: {}, topology: 'SINGLE', domain, success: true })
    assert.is(learner.analyze({ id: 'task-1', description: 'Explain it', domain }).source, 'calibrated')
  }
  assert.is(learner.analyze({ id: 'task-1', description: 'Explain it' }).source, 'lexical')
})

test('refuses outcomes that make no sense', () => {
  assert.throws(
    () => analyzer.record({ features: {}, topology: 'STAR' as Topology, success: true }),
    /outcome.topology/,
  )
  assert.throws(
    () => analyzer.record({ features: {}, topology: 'SINGLE', success: true, quality: 2 }),
    /outcome.quality/,
  )
  assert.throws(
    () => new TaskComplexityAnalyzer({ weights: { features: { steps: -1 } as never } }),
    /weights.features.steps/,
  )
})

test('gives the same answer asynchronously', async () => {
  const task = { id: 'task-1', description: 'Compare Redis and Memcached' }
  assert.equal(await analyzer.analyzeAsync(task), analyzer.analyze(task))
})

test('fits the contract for any text', () => {
  const anyText = fc.oneof(
    fc.string({ minLength: 1, maxLength: 300 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
    fc
      .array(
        fc.constantFrom(
          'and',
          ',',
          '.',
          'then',
          'write',
          'the',
          '?',
          '\n- ',
          '1.',
          '"',
          "'",
          '(',
          'Paris',
          '10',
          'it',
          'constructor',
        ),
        { minLength: 1, maxLength: 60 },
      )
      .map((words) => words.join(' ')),
  )
  fc.assert(
    fc.property(anyText, fc.constantFrom<RiskLevel>('low', 'medium', 'high', 'critical'), (description, riskLevel) => {
      const complexity = analyze(description, riskLevel)
      assert.ok(fits(Complexity, complexity))
      for (const value of Object.values(complexity.features)) assert.ok(value >= 0 && value <= 1)
    }),
    { numRuns: process.env.SVC_NIGHTLY ? 1000 : 250 },
  )
})

test('reads hostile text as long as a task may be', () => {
  const hostile = [
    '(',
    "'",
    '"',
    '`',
    "' '",
    ' and ',
    ', and ',
    'write, ',
    'a.',
    '\n- ',
    '\n1)',
    'can you ',
    'i would like to ',
    '"a',
    '```',
    'x',
    '1,',
    '1.1',
    'Paris, ',
    "o'",
    'do then ',
    'use the ',
    '٣',
    '\u0301',
  ]
  for (const unit of hostile) {
    assert.ok(fits(Complexity, analyze(unit.repeat(Math.floor(200_000 / unit.length)))), unit)
  }
})

test.run()
