/** What flags of a run reach: the request to the model, the run's record, its context, its memory. */

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pdfOf, pngOf } from '../../plugins/test/fixtures/media-files.ts'
import { dropIn, startModelServer } from './fixtures/model-server.ts'
import { json, runsOf } from './fixtures/notes.ts'
import { each, svc } from './fixtures/svc.ts'
import { makeWorld, type World } from './fixtures/world.ts'

const test = suite('run options')

const server = await startModelServer(({ messages }) =>
  JSON.stringify(messages).includes('read_first') && !messages.some(({ role }) => role === 'tool')
    ? { calls: [{ name: 'recall', args: '{"query":"crane"}' }] }
    : 'The crane is green, said the mayor.',
)

const makeOwn = (files: Record<string, unknown> = {}): World =>
  makeWorld(files, {
    'providers/mine.json': dropIn(server),
    'agents/calm.json': { name: 'Calm', temperature: 0.1, maxOutputTokens: 300 },
  })
const run = (...words: string[]): string[] => ['run', '--topology', 'SINGLE', ...words]
const lastAsked = () => server.asked.at(-1) as unknown as Record<string, unknown>

test('temperature, effort and the longest answer reach the model and the record; a profile has the last word', async () => {
  const world = makeOwn()
  const flags = ['--temperature', '0.7', '--effort', 'low', '--max-output', '700']
  const [first] = await each(world, [run(...flags, 'Describe the crane')])
  assert.is(first.code, 0, first.err)
  const { temperature, reasoning_effort, max_tokens } = lastAsked()
  assert.equal(
    { temperature, reasoning_effort, max_tokens },
    { temperature: 0.7, reasoning_effort: 'low', max_tokens: 700 },
  )
  const [{ id = '' } = {}] = await runsOf(world)
  const [log, resumed, replayed] = await each(world, [
    ['runs', 'get', id, '--events', '--json'],
    ['runs', 'fork', id, '--at', '1', '--json'],
    ['runs', 'replay', id, '--json'],
  ])
  const [created] = json<{ data: { options: object } }[]>(log)
  const { options } = created?.data ?? { options: {} }
  assert.equal(
    Object.entries(options)
      .filter(([name]) => ['temperature', 'effort', 'maxOutputTokens'].includes(name))
      .sort(),
    [
      ['effort', 'low'],
      ['maxOutputTokens', 700],
      ['temperature', 0.7],
    ],
  )
  assert.is(resumed.code, 0, resumed.err)
  assert.is(lastAsked().temperature, 0.7)
  assert.is(json<{ identical: boolean }>(replayed).identical, true)
  await svc(world, run(...flags, '--agent', 'calm', 'Describe the crane'))
  const own = lastAsked()
  assert.equal([own.temperature, own.max_tokens, own.reasoning_effort], [0.1, 300, 'low'])
})

test('a profile without tools gets none; one that says nothing of them gets all', async () => {
  const world = makeWorld(
    {},
    {
      'providers/mine.json': dropIn(server),
      'agents/bare.json': { name: 'Bare', tools: [] },
      'agents/full.json': { name: 'Full' },
      'agents/reader.json': { name: 'Reader', tools: ['read_file'] },
    },
  )
  const offered: string[][] = []
  for (const id of ['bare', 'full', 'reader']) {
    const { code, err } = await svc(world, run('--agent', id, 'Describe the crane'))
    assert.is(code, 0, err)
    offered.push((server.asked.at(-1)?.tools ?? []).map(({ function: { name } }) => name))
  }
  const [bare = [], full = [], reader = []] = offered
  assert.equal(bare, [])
  assert.ok(full.length > 5)
  assert.equal(reader, ['read_file'])
})

test('without memory nothing is recalled, nothing is kept, and no tool reaches it', async () => {
  const world = makeOwn()
  await svc(world, run('--no-memory', 'Which colour has the crane? read_first'))
  assert.match(JSON.stringify(server.asked.at(-1)?.messages), /tools\.deny|policy_denied|denied/)
  assert.not.match(JSON.stringify(server.asked.at(-1)?.tools ?? []), /recall|remember/)
  const list = await svc(world, 'memory list --json')
  assert.equal(json<{ data: unknown[] }>(list).data, [])
  await svc(world, run('Which colour has the crane?'))
  const again = await svc(world, 'memory list --json')
  assert.ok(json<{ data: unknown[] }>(again).data.length > 0)
})

test('--continue goes on with the newest run, and with the conversation that it began', async () => {
  const world = makeOwn()
  const none = await svc(world, run('--continue', 'And now?'))
  assert.match(none.err, /there is no run in this folder to go on from: leave --continue out/)
  const [, second, third] = await each(world, [
    run('--no-memory', 'Name the FIRST thing'),
    run('--no-memory', '--continue', 'Name the SECOND thing'),
    run('--no-memory', '--continue', 'Name the THIRD thing'),
  ])
  assert.is(second.code, 0, second.err)
  assert.is(third.code, 0, third.err)
  const said = (server.asked.at(-1)?.messages ?? []) as { role: string; content: string }[]
  assert.equal(
    said.slice(1).map(({ role, content }) => `${role}: ${content.split('\n')[0]}`),
    [
      'user: Name the FIRST thing',
      'assistant: The crane is green, said the mayor.',
      'user: Name the SECOND thing',
      'assistant: The crane is green, said the mayor.',
      'user: Name the THIRD thing',
    ],
  )
  const both = await svc(world, run('--continue', '--thread', 'thr_01JZ4K0M6T8N2QW3E5R7Y9V1XA', 'x'))
  assert.match(both.err, /--continue goes on with the newest conversation, --thread with one that is named/)
})

test('--file takes globs, each file once', async () => {
  const world = makeOwn({
    'src/a.ts': 'first',
    'src/deep/b.ts': 'second',
    'src/c.md': 'third',
    'src/node_modules/d.ts': 'fourth',
    'odd[1].ts': 'fifth',
  })
  const { code, err } = await svc(
    world,
    run('--file', 'src/**/*.ts', '--file', 'src/a.ts', '--file', 'odd[1].ts', 'Say it'),
  )
  assert.is(code, 0, err)
  const said = JSON.stringify(server.asked.at(-1)?.messages)
  assert.match(said, /File src\/a\.ts:\\nfirst.*File src\/deep\/b\.ts:\\nsecond.*File odd\[1\]\.ts:\\nfifth/)
  assert.not.match(said, /third|fourth/)
  assert.is(said.split('File src/a.ts').length, 2)
  const outcomes = await each(world, [
    run('--file', 'src/*.py', 'Say it'),
    run('--temperature', '3', 'Say it'),
    run('--effort', 'hgih', 'Say it'),
    run('--max-output', '0', 'Say it'),
  ])
  assert.equal(
    outcomes.map(({ code }) => code),
    [2, 2, 2, 2],
  )
  const refusals = outcomes.map(({ err }) => err).join('')
  assert.match(refusals, /--file src\/\*\.py matches no file/)
  assert.match(refusals, /--temperature must be a number from 0 to 2, not 3/)
  assert.match(refusals, /--effort must be one of low, medium, high, not "hgih": did you mean high\?/)
  assert.match(refusals, /--max-output must be a whole number of tokens above 0, not 0/)
})

test('a pattern after --file that the shell has expanded is refused, with what to write instead', async () => {
  const world = makeOwn({ 'src/a.ts': 'first', 'src/b.ts': 'second', 'src/deep/c.ts': 'third' })
  const before = server.asked.length
  const long = 'Say it again. '.repeat(30)
  const [expanded, folder, alone, right, last] = await each(world, [
    ['run', '--file', 'src/a.ts', 'src/b.ts', 'Say it'],
    ['run', '--file', 'src/a.ts', 'src/deep', 'Say it'],
    'run --file src/a.ts src/b.ts',
    run('--file', 'src/a.ts', 'src'),
    run('--file', 'src/a.ts', long),
  ])
  assert.equal([expanded.code, folder.code, alone.code], [2, 2, 2])
  assert.match(expanded.err, /src\/b\.ts follows src\/a\.ts.*--file 'src\/\*\.ts', or write --file before each path/)
  assert.equal([right.code, last.code], [0, 0], last.err)
  assert.is(server.asked.length - before, 2, 'nothing was paid')
})

const FILES = {
  'logo.txt': pngOf(64, 48),
  'report.pdf': pdfOf(2),
  'large.png': Buffer.concat([pngOf(8, 8), Buffer.alloc(4_000_000)]),
}
const BYTES = FILES['logo.txt'].toString('base64')

test('--file shows an image and a PDF to a model, and neither log nor debug log holds their bytes', async () => {
  const server = await startModelServer((_, turn) =>
    turn % 2 === 0 ? { calls: [{ name: 'read_file', args: '{"path":"logo.txt"}' }] } : 'A grey square.',
  )
  const world = makeWorld(FILES, { 'providers/fake.json': dropIn(server) })
  const run = ['run', '--provider', 'fake', '--topology', 'SINGLE', '--file', 'logo.txt', '--file', 'report.pdf']
  const [shown, debug, json] = await each(world, [
    [...run, 'What is shown?'],
    [...run, '--log-level', 'debug', 'What is shown?'],
    'runs --json',
  ])
  assert.is(shown.code, 0, shown.err)
  assert.match(shown.out, /A grey square\./)
  const [first, second] = server.asked.map(({ messages }) => JSON.stringify(messages))
  assert.ok(first?.includes(`"url":"data:image/png;base64,${BYTES}"`))
  assert.match(first ?? '', /"filename":"report\.pdf","file_data":"data:application\/pdf;base64,/)
  assert.is(second?.split(BYTES).length, 3, 'of the task and of the tool')
  assert.match(debug.err, /\[image logo\.txt, \d+ bytes, 64x48\]/)
  for (const { out, err } of [shown, debug, json]) assert.not.match(`${out}${err}`, BYTES.slice(0, 60))
})

test('the offline provider says that it cannot see, and what is too large is refused', async () => {
  const world = makeWorld(FILES)
  const [blind, large, read] = await each(world, [
    ['run', '--provider', 'offline', '--file', 'logo.txt', 'What is shown in the picture?'],
    ['run', '--provider', 'offline', '--file', 'large.png', 'What is shown?'],
    ['run', '--provider', 'offline', '--json', '--file', 'report.pdf', 'What does the report say?'],
  ])
  assert.match(blind.out, /cannot see images or PDFs\. Not looked at: image logo\.txt, \d+ bytes, 64x48\./)
  assert.match(blind.err, /offline\/extractive was not shown image logo\.txt/)
  assert.is(large.code, 2)
  assert.match(large.err, /--file large\.png has 400\d{4} bytes; an image may have at most 3932160/)
  const { warnings } = JSON.parse(read.out) as { warnings: { code: string }[] }
  assert.ok(warnings.some(({ code }) => code === 'media_unseen'))
})

test.run()
