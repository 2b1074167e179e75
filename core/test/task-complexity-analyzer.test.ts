import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Complexity, fits, type RiskLevel, SvcError, TaskComplexityAnalyzer, type Topology } from '../src/index.ts'
import { Complexity as Shape } from '../src/schema.ts'

const test = suite('TaskComplexityAnalyzer')
const analyzer = new TaskComplexityAnalyzer()
const analyze = (description: string, riskLevel?: RiskLevel): Complexity =>
  analyzer.analyze({ id: 'task-1', description, ...(riskLevel === undefined ? {} : { riskLevel }) })

const LIST = '- Describe the climate of Oslo\n- Describe the history of Lima\n- Describe the food of Cairo'
const ALONE = [
  'Explain the architecture of this repository',
  'Fix it',
  'List the files of this folder and count the lines of each',
  'Write a short story about a lighthouse. Keep it under 200 words and use simple language.',
  'A baker has 24 loaves. She sells a third of them in the morning and 5 more after lunch. Then she bakes 10 more. How many loaves does she have at the end of the day?',
  'Translate the text into French, German and Spanish',
  'Extract the text, then translate it, then summarise the result',
  'Review the following text and correct mistakes:\n1. He go to school.\n2. She have a dog.',
  'Write a function that\n1. takes a list\n2. sorts it\n3. returns the first item',
  'Build an app. Requirements:\n- works offline\n- dark mode\n- syncs with the phone',
]

test('leaves a task to one agent, whatever its words sound like', () => {
  assert.equal(
    ALONE.filter((request) => analyze(request).recommendedTopology !== 'SINGLE'),
    [],
  )
})

test('recommends a team of two to four for the items of a list, and for what is to be done in parallel', () => {
  for (const [description, agents] of [
    [LIST, 3],
    [`${LIST}\n- Count the lakes of Norway\n- Write a poem about the Nile`, 4],
    ['1. Analyse the sales of 2023\n2. Investigate the outage of May 4\n3. Draft the agenda of the board meeting', 3],
    ['In parallel: audit the login code; write tests for the parser; update the changelog', 3],
    ['Research:\n1. базы данных\n2. очереди\n3. кэши', 3],
  ] as const) {
    const complexity = analyze(description)
    assert.ok(['PARALLEL', 'CENTRALIZED'].includes(complexity.recommendedTopology), description)
    assert.is(complexity.agents, agents, description)
  }
  // 2.72 * 1.5 ** 1.724, Kim et al., 2025
  assert.equal([analyze('Fix it').agents, analyze('Fix it').estimatedTurns], [1, 5.5])
})

test('answers in the shape of the contract, with everything explained', () => {
  const complexity = analyze(LIST)
  assert.ok(fits(Shape, complexity))
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
  assert.match(complexity.explanation.join(' '), /It falls into 3 parts/)
  for (const sentence of complexity.explanation) assert.match(sentence, /^[A-Z].*\.$/)
})

test('ranks tasks by the work they ask for, not by their length', () => {
  const scores = [
    'What do we sell?',
    'Summarise README.md',
    'Refactor the whole repository to use async',
    'Build a web shop with login, payment and an admin page',
  ].map((description) => analyze(description).score)
  assert.equal(
    scores,
    [...scores].sort((a, b) => a - b),
  )
  const padding = 'Take into account that the reader is patient and that the weather was quite pleasant yesterday. '
  assert.is(analyze(`${padding.repeat(20)}Explain the architecture of this repository.`).features.breadth, 0)
  const letter = 'Write an email to the landlord.'
  assert.is(analyze(`${letter} Keep it short. Use plain words.`).features.steps, analyze(letter).features.steps)
})

test('leaves quoted and fenced material, and a text to work on, out', () => {
  assert.is(analyze('Explain this code:\n```\nbuild(a, b, and c); write tests; deploy it\n```').features.breadth, 0)
  const quoted = analyze('Translate "build a house, plant a tree and write a book"')
  assert.is(quoted.features.steps, analyze('Translate "home"').features.steps)
  const letter = analyze('Proofread my letter:\nFind the flat. Write to the owner. Compare the prices.')
  assert.is(letter.features.steps, analyze('Proofread my letter').features.steps)
})

test('asks back what the task leaves open, and nothing where it is clear', () => {
  assert.match(analyze('Find the best laptop').openQuestions.join(' '), /Best by which measure\?/)
  assert.match(analyze('Fix it').openQuestions.join(' '), /What does the object of "fix" refer to\?/)
  assert.equal(analyze('Count the lines of core/src/index.ts').openQuestions, [])
})

test('does not let the risk change the score, only the topology', () => {
  const description = 'Review the design, argue the trade-offs and explain something better'
  assert.is(analyze(description, 'critical').score, analyze(description).score)
  const low = analyze(description).utilities.DECENTRALIZED ?? 0
  assert.ok((analyze(description, 'critical').utilities.DECENTRALIZED ?? 0) > low)
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

test('refuses what is no task, and outcomes and weights that make no sense, naming the field', () => {
  const outcome = { features: {}, topology: 'SINGLE' as Topology, success: true }
  for (const [work, pattern] of [
    [() => analyze(''), /\/description/],
    [() => analyze('x'.repeat(200_001)), /\/description/],
    [() => analyze('x', 'huge' as RiskLevel), /\/riskLevel/],
    [() => analyzer.record({ ...outcome, topology: 'STAR' as Topology }), /outcome.topology/],
    [() => analyzer.record({ ...outcome, quality: 2 }), /outcome.quality/],
    [() => new TaskComplexityAnalyzer({ weights: { features: { steps: -1 } as never } }), /weights.features.steps/],
  ] as const) {
    try {
      work()
      assert.unreachable()
    } catch (error) {
      assert.ok(SvcError.isInstance(error))
      assert.is(error.code, 'validation_failed')
      assert.match(error.message, pattern)
    }
  }
})

test('learns from outcomes per domain and topology, and hands it on as plain JSON', () => {
  const learner = new TaskComplexityAnalyzer()
  const task = { id: 'task-1', description: LIST, domain: 'Geography' }
  const before = learner.analyze(task)
  for (let run = 0; run < 20; run++) {
    for (const [topology, success] of [
      ['PARALLEL', false],
      ['CENTRALIZED', false],
      ['SINGLE', true],
    ] as const)
      learner.record({ features: {}, topology, domain: 'geography', success })
  }
  const after = learner.analyze(task)
  assert.is(before.recommendedTopology, 'PARALLEL')
  assert.is(after.recommendedTopology, 'SINGLE')
  assert.is(after.source, 'calibrated')
  assert.is(after.score, before.score)
  assert.equal(learner.analyze({ ...task, domain: 'gardening' }), before)
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

test('is not confused by domains named like what objects inherit', () => {
  const learner = new TaskComplexityAnalyzer()
  for (const domain of ['__proto__', 'constructor', 'toString']) {
    learner.record({ features: {}, topology: 'SINGLE', domain, success: true })
    assert.is(learner.analyze({ id: 'task-1', description: 'Explain it', domain }).source, 'calibrated')
  }
  assert.is(learner.analyze({ id: 'task-1', description: 'Explain it' }).source, 'lexical')
})

test('fits the contract for any text', () => {
  const words = ['and', ',', '.', 'then', 'write', 'the', '?', '\n- ', '1.', '"', '(', 'Paris', '10', 'constructor']
  const anyText = fc.oneof(
    fc.string({ minLength: 1, maxLength: 300 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
    fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 60 }).map((some) => some.join(' ')),
  )
  fc.assert(
    fc.property(anyText, fc.constantFrom<RiskLevel>('low', 'medium', 'high', 'critical'), (description, riskLevel) => {
      const complexity = analyze(description, riskLevel)
      assert.ok(fits(Shape, complexity))
      for (const value of Object.values(complexity.features)) assert.ok(value >= 0 && value <= 1)
    }),
    { numRuns: process.env.SVC_NIGHTLY ? 1000 : 250 },
  )
})

// What takes the square of its length would not end.
test('reads hostile text as long as a task may be', () => {
  const hostile = [
    '(',
    "'",
    '"',
    '`',
    ' and ',
    'write, ',
    'a.',
    '\n- ',
    'can you ',
    '```',
    '1,',
    'Paris, ',
    'do then ',
    '? ',
    '\n',
  ]
  for (const unit of hostile) {
    for (const start of ['', 'write the a: '])
      assert.ok(fits(Shape, analyze(start + unit.repeat(Math.floor(199_000 / unit.length)))), unit)
  }
})

test.run()
