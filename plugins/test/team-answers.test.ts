/** A team that was asked for does every part of its task, and its answer has each; what the log refutes is marked on the way. */
import { join } from 'node:path'
import {
  definePlugin,
  type ExecutionResult,
  type MemoryHit,
  type ModelRequest,
  type Plan,
  type Plugin,
  ReflectionEngine,
  type RunOptions,
  TOPOLOGIES,
  type Tool,
  toText,
} from '@svc/core'
import { loadConfig } from '@svc/core/config'
import { type Script, type ScriptedAnswer, scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { allocate } from '../src/defaults/allocate.ts'
import { analyze } from '../src/defaults/analyze.ts'
import { type OrchestrateOptions, orchestrate } from '../src/defaults/orchestrate.ts'
import { reflect } from '../src/defaults/reflect.ts'
import { createRuntime, openCassette, replayRun } from '../src/index.ts'
import { folderOf } from './fixtures/folder-of.ts'
import { type Ran, runTask } from './fixtures/run-task.ts'
import { endedRun, exportOf, resultOf } from './fixtures/runs.ts'

const test = suite('answers of teams')

const FILES: Readonly<Record<string, string>> = { 'a.csv': 'id,total\n1,10\n2,27\n', 'app.yml': 'port: 8123\n' }

const readFile: Tool = {
  id: 'read_file',
  description: 'reads a file',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  risk: 'read',
  run: async (args) => FILES[(args as { path: string }).path] ?? 'no such file',
}

const textOf = ({ messages }: ModelRequest): string => messages.map(({ content }) => toText(content)).join('\n')
const isSynthesis = (request: ModelRequest): boolean => textOf(request).includes('Combine the results of the parts')
const isRead = ({ messages }: ModelRequest): boolean => messages.some(({ role }) => role === 'tool')
const reads = (path: string): ScriptedAnswer => ({ toolCalls: [{ tool: 'read_file', args: { path } }] })

/** A worker reads the file that its part names, and says what was found; the last agent says `answer`. */
const team =
  (said: { orders?: string; port?: string; answer?: string }): Script =>
  (request) => {
    const { orders = 'a.csv has orders of 10 and 27.', port = 'The port in app.yml is 8123.' } = said
    if (isSynthesis(request)) return said.answer ?? `${orders} ${port}`
    const [own = ''] = toText(request.messages[1]?.content ?? []).split('\n')
    const path = own.includes('a.csv') ? 'a.csv' : 'app.yml'
    if (!isRead(request)) return reads(path)
    return path === 'a.csv' ? orders : port
  }

const run = (
  task: string,
  script: Script,
  options: RunOptions = { topology: 'PARALLEL' },
  { orchestration = {}, reflection = reflect() }: { orchestration?: OrchestrateOptions; reflection?: Plugin } = {},
): Promise<Ran> =>
  runTask(
    script,
    { task, ...options },
    {
      plugins: [analyze(), allocate(), orchestrate(orchestration), reflection],
      tools: [readFile],
    },
  )

const works = ({ steps }: Plan): Plan['steps'] => steps.filter(({ role }) => role === 'worker')
const synthesisOf = ({ provider }: Ran): string => textOf(provider.requests.find(isSynthesis) as ModelRequest)

const TASK = 'Report the orders in a.csv; report the port in app.yml'

const NOON = '2026-01-01T12:00:00.000Z'
const REMEMBERED: Omit<MemoryHit, 'source'> = {
  id: 'mem_1',
  layer: 'long-term',
  kind: 'fact',
  content: 'port: 9999',
  tags: [],
  trust: 'trusted',
  importance: 0.5,
  validFrom: NOON,
  createdAt: NOON,
  lastAccessedAt: NOON,
  accessCount: 0,
  score: 1,
  parts: {},
}

const TASKS = [
  TASK,
  'First count the orders in a.csv, then report the port in app.yml.',
  '(a) count the rows of a.csv (b) tell me the port in app.yml',
  '1. Nenne die Bestellungen in a.csv\n2. Nenne den Port in app.yml',
  'Nenne die Bestellungen in a.csv und nenne den Port in app.yml.',
  'Zähle die Zeilen von a.csv; sag mir den Port aus app.yml',
  'Donne les commandes de a.csv, puis indique le port de app.yml.',
  'Compte les lignes de a.csv. Indique le port de app.yml. Réponds en français.',
  'a.csvの注文を報告し、app.ymlのポートを報告してください。',
  '①a.csvの行数を数える ②app.ymlのポートを報告する',
  'Report the orders in a.csv and the port in app.yml',
  'How many orders has a.csv and which port is in app.yml?',
  'Nenne die Bestellungen in a.csv und den Port in app.yml.',
  'Donne les commandes de a.csv et le port de app.yml',
  'a.csv の注文と app.yml のポートを報告してください',
]

test('each part of a task has a step of its own in every team of parts, whatever its words and language', async () => {
  for (const task of TASKS)
    for (const topology of ['SEQUENTIAL', 'PARALLEL', 'CENTRALIZED', 'HYBRID'] as const) {
      const ran = await run(task, team({}), { topology })
      const { plan, status, summary } = ran.result
      assert.ok(plan)
      assert.is(plan.topology, topology)
      const parts = works(plan)
      const asked = parts.map(({ objective }) => objective.split('\nThis is part of: ')[0] ?? '')
      const where = `${topology}: ${task}`
      assert.equal(
        asked.map((part) => [part.includes('a.csv'), part.includes('app.yml')]),
        [
          [true, false],
          [false, true],
        ],
        where,
      )
      if (topology === 'PARALLEL')
        assert.ok(
          parts.every(({ dependsOn }) => dependsOn.length === 0),
          where,
        )
      if (topology === 'SEQUENTIAL') assert.equal(parts[1]?.dependsOn, [parts[0]?.id], where)
      assert.equal([status, /27.*8123/.test(summary)], ['completed', true], where)
    }
})

test('one agent, and drafts of one answer, are given the task word for word', async () => {
  for (const topology of TOPOLOGIES.filter((each) => each === 'SINGLE' || each === 'DECENTRALIZED')) {
    const { result } = await run(TASK, () => 'a.csv: 10 and 27; app.yml: 8123', { topology })
    assert.ok(result.plan && works(result.plan).every(({ objective }) => objective === TASK))
  }
})

test('what is quoted, fenced, compared or only brought along is not cut for a team', async () => {
  for (const task of [
    'Vergleiche a.csv und b.csv',
    'Report the differences between the orders in a.csv and the port in app.yml',
    'Merge the rows of a.csv and the columns of b.csv',
    'Report the sum of the totals in a.csv and the totals in b.csv',
    'Say whether the port in app.yml and the port in b.yml agree',
    'Copy the head of a.csv and the foot of b.csv to c.csv',
    'Report the name and the size of a.csv',
    'Explain why cats and dogs fight and why it matters',
    'a.csv と b.csv の違いを報告してください',
    'Übersetze: "Lies a.csv; nenne den Port in app.yml"',
    'Explique ce code:\n```\nlis(a.csv); dis(app.yml);\n```',
    'call f(a) and g(b)',
    'Welche Zeilen in a.csv nennen rote und blaue Kugeln?',
  ]) {
    const { result } = await run(task, () => 'done', { topology: 'PARALLEL' })
    assert.ok(result.plan && works(result.plan).every(({ objective }) => objective === task), task)
  }
})

test('the last agent gets the parts that the answer has to cover, those aside that are only read for another', async () => {
  assert.match(synthesisOf(await run(TASK, team({}))), /covers step-1: Report the orders in a\.csv\n.*covers step-2: /)
  const ran = await run('Read a.csv, then write its sum to out.txt', team({}), { topology: 'SEQUENTIAL' })
  assert.not.match(synthesisOf(ran), /covers step-1: /)
})

test('an answer that leaves out a part is sent back, and a run whose answer stays so is incomplete', async () => {
  let asked = 0
  const mended = await run(TASK, (request, index) =>
    isSynthesis(request) && asked++ === 0 ? 'There are orders of 10 and 27.' : team({})(request, index),
  )
  assert.equal([mended.result.status, mended.result.summary.includes('8123')], ['completed', true])
  for (const task of TASKS.filter((each) => !/puis/.test(each))) {
    const answer = 'In a.csv stehen 10 und 27.'
    const { result } = await run(task, team({ answer }))
    assert.equal(
      [result.status, result.incomplete?.reason, result.verdict],
      ['incomplete', 'checks_failed', 'fail'],
      task,
    )
    assert.is(result.summary, answer)
    assert.ok(result.warnings.some(({ message }) => /covers step-2: .*nothing of it is in the answer/.test(message)))
  }
})

test('an answer that tells of each part in its own way is complete', async () => {
  const honest: { orders?: string; port?: string; answer: string }[] = [
    { answer: 'Two orders (10 and 27). The server listens on 8123.' },
    { answer: 'Zwei Bestellungen, zusammen 37 (a.csv). Port: 8123.' },
    { answer: 'Orders: 10, 27. I could not find out the port.' },
    { answer: 'The orders sum up to thirty-seven. The port is eighty-one twenty-three.' },
    { answer: 'yes' },
    { orders: 'I could not answer this: a.csv is empty.', answer: 'The port is 8123.' },
    { orders: 'Nothing remarkable was seen.', answer: 'The port is 8123.' },
    { orders: 'Both were made by Anna.', port: 'Both were made by Anna.', answer: 'All by Anna.' },
  ]
  for (const said of honest) {
    const { result } = await run(TASK, team(said), { topology: 'PARALLEL', reflect: false })
    assert.is(result.status, 'completed', said.answer)
  }
  const { result } = await run(
    'Read a.csv, then write the port of app.yml to out.txt',
    team({ answer: 'Port 8123 stands in out.txt.' }),
    { topology: 'SEQUENTIAL', reflect: false },
  )
  assert.is(result.status, 'completed', 'what is only read for another part is no part of the answer')
})

const CAPITAL = 'Nenne die Hauptstadt von Frankreich; nenne die Einwohnerzahl von Oslo'
const OSLO = ['Die Hauptstadt von Frankreich ist Paris.', 'Oslo hat 717.710 Einwohner (2024).']
const CODE = 'Explain src/auth.ts; explain src/cache.ts'
const CODES = [
  'src/auth.ts: login() checks RS256 tokens by verifyToken.',
  'src/cache.ts keeps 500 entries, drops the oldest.',
]
const GREEN = ['Yes, all 128 tests pass (npm test, exit code 0).', 'Yes, npm run build ended with 0 after 12.5 s.']
const ROWS = 'a.csvの行数を数えてください。app.ymlのポートを報告してください。'

test('whether an answer leaves out a part is seen in every language, by what stands in no other part', async () => {
  const cases: [answer: string, isComplete: boolean, task: string, results: readonly string[]][] = [
    ['Paris; etwa 718 Tausend Menschen leben in Oslo.', true, CAPITAL, OSLO],
    ['The capital is Paris. Oslo counts about 0.7 million.', true, CAPITAL, OSLO],
    ['Die Hauptstadt ist Paris.', false, CAPITAL, OSLO],
    ['The port is 1.', false, 'Report the orders in a.csv and the port in app.yml', ['1 order of 2222.', 'Port 1.']],
    ['Logging in needs RS256 tokens. The caching layer evicts the oldest of five hundred.', true, CODE, CODES],
    ['Logging in needs RS256 tokens, checked by verifyToken.', false, CODE, CODES],
    ['Yes, both are green.', true, 'Are the tests green? Is the build green?', GREEN],
    ['27行、ポートは8123番です。', true, ROWS, ['a.csvは27行です。', 'ポートは8123です。']],
    ['a.csvは27行です。', false, ROWS, ['a.csvは27行です。', 'ポートは8123です。']],
    [
      'Only one: line 42 of b.ts.',
      true,
      'List the bugs in a.ts; list the bugs in b.ts',
      ['a.ts: none.', 'b.ts: line 42.'],
    ],
  ]
  for (const [answer, isComplete, task, results] of cases)
    for (const topology of ['PARALLEL', 'SEQUENTIAL'] as const) {
      const script: Script = (request) => {
        if (isSynthesis(request)) return answer
        // The first part is the one with which the task begins.
        const [first = ''] = toText(request.messages[1]?.content ?? []).split('\n')
        return results[task.startsWith(first.slice(0, -1)) ? 0 : 1] ?? ''
      }
      const { result } = await run(task, script, { topology, reflect: false })
      assert.is(result.status, isComplete ? 'completed' : 'incomplete', `${topology}: ${answer}`)
    }
})

const LIE = 'The port in app.yml is 9999.'
const MARK = /The port in app\.yml is 9999\. \[refuted by the run's log: [^\]]*8123[^\]]*\]/

test('a statement of a worker that its calls refute reaches the last agent, the log and the result with a mark', async () => {
  for (const topology of ['SEQUENTIAL', 'PARALLEL', 'CENTRALIZED', 'HYBRID'] as const) {
    const ran = await run(TASK, team({ port: LIE, answer: 'Orders of 10 and 27; app.yml sets 8123.' }), { topology })
    assert.match(synthesisOf(ran), MARK)
    assert.match(synthesisOf(ran), /marked as refuted are false/)
    const outputs = ran.events.flatMap((event) => (event.type === 'step.completed' ? [event.data.output] : []))
    assert.ok(outputs.some((output) => MARK.test(output)))
    assert.ok(ran.result.steps.some(({ output }) => MARK.test(output)))
    assert.not.match(synthesisOf(ran), /10 and 27\. \[refuted/)
  }
  assert.not.match(synthesisOf(await run(TASK, team({}))), /refuted/)
})

test('a deed that no call did is marked behind the sentence that tells it, and the rest of the text stays as it was', async () => {
  const ran = await run(TASK, team({ port: 'The port in app.yml is 8123. I deleted tmp.log. It is done.' }))
  assert.match(synthesisOf(ran), /is 8123\. I deleted tmp\.log\. \[refuted by the run's log: .*tmp\.log\] It is done\./)
})

test('a step may say what the steps before it did', async () => {
  const script: Script = (request) => {
    if (isSynthesis(request)) return 'a.csv has orders of 10 and 27, app.yml sets 8123.'
    if (textOf(request).includes('<result')) return 'I read a.csv before: orders of 10 and 27. No port is known.'
    return isRead(request) ? 'a.csv has orders of 10 and 27.' : reads('a.csv')
  }
  assert.not.match(synthesisOf(await run(TASK, script, { topology: 'SEQUENTIAL' })), /refuted/)
})

test('what a person had remembered speaks for a worker, and what a run remembered does not', async () => {
  for (const source of [{ origin: 'user' }, { origin: 'model' }, { origin: 'user', runId: 'run_1' }] as const) {
    const remembers = definePlugin('remembers', ({ hooks }) => {
      hooks.analyze.tap('remembers', (answer, _input, run) => {
        run.recall([{ ...REMEMBERED, source }])
        return answer
      })
    })
    const ran = await runTask(
      team({ port: LIE }),
      { task: TASK, topology: 'PARALLEL' },
      { plugins: [analyze(), remembers(), allocate(), orchestrate(), reflect()], tools: [readFile] },
    )
    const isMarked = MARK.test(synthesisOf(ran))
    assert.is(isMarked, source.origin !== 'user' || 'runId' in source, JSON.stringify(source))
  }
})

test('nothing is marked where checks are switched off, for the run or by the option, and another plugin may reflect', async () => {
  const script = team({ port: LIE })
  const off = await run(TASK, script, { topology: 'PARALLEL', reflect: false })
  assert.not.match(synthesisOf(off), /refuted/)
  const without = await run(TASK, script, { topology: 'PARALLEL' }, { orchestration: { reviewer: false } })
  assert.not.match(synthesisOf(without), /refuted/)
  const own = definePlugin('own-reflect', ({ hooks }) => {
    hooks.reflect.tap('own-reflect', (answer) => answer)
  })()
  assert.match(synthesisOf(await run(TASK, script, { topology: 'PARALLEL' }, { reflection: own })), MARK)
})

test('a reviewer of your own decides what is marked, and one that fails is a warning', async () => {
  const reviewer = new ReflectionEngine({ checks: [] })
  reviewer.registerCheck({
    id: 'no-ports',
    critical: true,
    look: ({ output }) =>
      output.includes('port') ? { result: 'fail', evidence: 'ports are secret' } : { result: 'na' },
  })
  const ran = await run(TASK, team({}), { topology: 'PARALLEL' }, { orchestration: { reviewer } })
  assert.match(synthesisOf(ran), /8123\.\n\[refuted by the run's log: ports are secret\]/)
  const broken = { evaluate: () => Promise.reject(new Error('out of order')) }
  const { result } = await run(TASK, team({}), { topology: 'PARALLEL' }, { orchestration: { reviewer: broken } })
  assert.is(result.status, 'completed')
  assert.ok(result.warnings.some(({ message }) => message.includes('out of order')))
})

test('a draft that the log refutes has no vote', async () => {
  let drafts = 0
  const ran = await run(
    'Which port does app.yml set?',
    (request) => {
      if (!isRead(request)) return reads('app.yml')
      return drafts++ < 2 ? LIE : 'The port in app.yml is 8123.'
    },
    { topology: 'DECENTRALIZED' },
  )
  assert.equal([ran.result.status, ran.result.summary], ['completed', 'The port in app.yml is 8123.'])
})

const withFiles = (script: Script, components = {}) =>
  createRuntime(
    {
      model: 'fake/scripted',
      plugins: [definePlugin('fake', ({ providers }) => providers.add('fake', scriptedProvider('fake', script)))()],
      components,
    },
    { env: {}, persist: false, workspace: folderOf(FILES) },
  )

test('a run with marks is the same when it is gone over again, and one of a config without reflection has none', async () => {
  const runtime = await withFiles(team({ port: LIE, answer: 'Orders of 10 and 27; app.yml sets 8123.' }))
  try {
    const id = await endedRun(runtime, { task: TASK, topology: 'PARALLEL' })
    const { steps } = (await resultOf(runtime, id)) as ExecutionResult
    assert.ok(steps.some(({ output }) => MARK.test(output)))
    const none = join(folderOf(), 'none.json')
    const loaded = await loadConfig({ cwd: folderOf(), userDir: folderOf(), managedFile: none, env: {} })
    const again = await replayRun(await openCassette(await exportOf(runtime, id), 'strict'), loaded)
    assert.ok(again.identical)
  } finally {
    await runtime.close()
  }
  const unchecked = await withFiles(team({ port: LIE }), { reflect: false })
  try {
    const id = await endedRun(unchecked, { task: TASK, topology: 'PARALLEL' })
    const { steps } = (await resultOf(unchecked, id)) as ExecutionResult
    assert.ok(steps.every(({ output }) => !output.includes('refuted')))
  } finally {
    await unchecked.close()
  }
})

test.run()
