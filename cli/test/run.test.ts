/** `svc run`: what goes to which stream, in which form, and with which exit code. */
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { each, jsonLines, svc } from './fixtures/svc.ts'
import { addFiles, makeWorld, STACK } from './fixtures/world.ts'

const test = suite('run')

const FILES = {
  'package.json': { name: 'demo', version: '1.2.3', license: 'MIT' },
  'README.md': '# Demo\n\nIt has 42 widgets.\n',
}
const TASK = 'What is the licence of this package?'
// biome-ignore lint/suspicious/noControlCharactersInRegex: the character that starts a colour
const COLOUR = /\u001b\[/

test('the answer goes to standard output and everything else to standard error', async () => {
  const [plain, quiet, verbose] = await each(makeWorld(FILES), [
    ['run', TASK],
    ['run', '-q', TASK],
    ['run', '-v', TASK],
  ])
  for (const outcome of [plain, quiet, verbose]) {
    assert.is(outcome.code, 0)
    assert.is(outcome.out, 'The licence is `MIT` (package.json:1)\n')
    assert.not.match(outcome.err, COLOUR)
  }
  assert.match(plain.err, /^step-1 agent-1: What is the licence/m)
  assert.match(plain.err, /^step-1 agent-1: done/m)
  assert.is(quiet.err, '')
  assert.match(verbose.err, /^orchestrate|^execute: [\d.]+ ms by/m)
})

test('an answer that does not answer opens with that, and the run is incomplete with exit code 6', async () => {
  const task = 'Where is zorkQuux defined?'
  const schema = JSON.stringify({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] })
  const [plain, json, shaped, team, half] = await each(makeWorld({ ...FILES, 'schema.json': schema }), [
    ['run', '-q', task],
    ['run', '--json', task],
    ['run', '--json', '--schema', 'schema.json', task],
    ['run', '--json', '--topology', 'CENTRALIZED', task],
    ['run', '--json', `${TASK} ${task}`],
  ])
  assert.is(plain.code, 6)
  assert.match(
    plain.out,
    /^I could not answer this: I found nothing about `zorkQuux`: no text file here holds it \(3 files listed\)\.\n$/,
  )
  assert.match(plain.err, /incomplete:.*does not answer.*\[not_found\]/)
  for (const outcome of [json, shaped, team]) {
    const { status, verdict, incomplete, summary, error } = JSON.parse(outcome.out)
    assert.equal([outcome.code, status, incomplete, error], [6, 'incomplete', { reason: 'not_found' }, undefined])
    assert.is(verdict, outcome === shaped ? 'fail' : 'unverified')
    assert.match(summary, /^I could not answer this/)
  }
  assert.is(half.code, 6)
  assert.match(
    JSON.parse(half.out).summary,
    /^I could not answer this in full\.\n\nThe licence is `MIT`.*\n\nNot answered: Where is zorkQuux defined\? I found nothing about `zorkQuux`/s,
  )
})

test('the notice of the offline provider is one line, once a day, and never with -q', async () => {
  const world = makeWorld(FILES)
  const [quiet, first, second] = await each(world, [
    ['run', '-q', TASK],
    ['run', TASK],
    ['run', TASK],
  ])
  const notice = /^svc: no model is set up, so the offline provider answers in quotes: svc doctor$/m
  assert.is(quiet.err, '')
  assert.match(first.err, notice)
  assert.not.match(second.err, /offline/)
  const longAgo = new Date(Date.now() - 25 * 3_600_000)
  utimesSync(join(world.home, '.local/svc/offline-notice'), longAgo, longAgo)
  const [nextDay, chosen] = await Promise.all([
    svc(world, ['run', TASK]),
    svc(makeWorld(FILES), ['run', '--provider', 'offline', TASK]),
  ])
  assert.match(nextDay.err, notice)
  assert.match(chosen.err, /^svc: the offline provider answers in quotes from what it reads$/m)
})

test('for programs the result is one JSON document, or events a line and the result in the last one', async () => {
  const [json, stream, plan, analysis] = await each(makeWorld(FILES), [
    ['run', '--json', TASK],
    ['run', '--output', 'stream-json', TASK],
    ['run', '--dry-run', '--json', TASK],
    ['analyze', '--output=json', TASK],
  ])
  const result = JSON.parse(json.out)
  assert.is(result.status, 'completed')
  assert.match(result.summary, /MIT/)
  assert.ok(result.warnings.some(({ code }: { code: string }) => code === 'offline_provider'))
  const lines = jsonLines<RunEvent & { result?: { status: string } }>(stream.out)
  assert.is(lines.at(-1)?.result?.status, 'completed')
  const events = lines.slice(0, -1)
  assert.ok(events.every(({ v, type, time, runId, data }) => v === 1 && type && time && runId && data))
  const seqs = events.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
  assert.equal(
    seqs,
    seqs.map((_, index) => index + 1),
    'no gap',
  )
  assert.is(events.at(-1)?.type, 'run.completed')
  assert.not.match(stream.err, /step-1/)
  assert.ok(JSON.parse(plan.out).plan.steps.length > 0)
  assert.type(JSON.parse(analysis.out).score, 'number')
})

test('a failure is one line on standard error, and for programs a JSON document as well', async () => {
  const [keyless, bare, text, json, stream] = await each(makeWorld(FILES), [
    ['run', '--provider', 'openai', TASK],
    ['run', '--model', 'nobody', TASK],
    ['run', '--provider', 'offlin', TASK],
    ['run', '--json', '--provider', 'offlin', TASK],
    ['run', '--output', 'stream-json', '--provider', 'offlin', TASK],
  ])
  for (const outcome of [text, json, stream]) {
    assert.is(outcome.code, 3)
    assert.match(outcome.err, /no provider is called 'offlin' \(did you mean 'offline'\?\).*\[unknown_provider\]/)
    assert.not.match(outcome.err, STACK)
  }
  assert.match(keyless.err, /provider 'openai' has no key\. Fix: export OPENAI_API_KEY=.*\[no_provider\]/)
  assert.match(bare.err, /a model is written provider\/model \[unknown_provider\]/)
  assert.is(text.out, '')
  assert.is(JSON.parse(json.out).error.code, 'unknown_provider')
  assert.is(JSON.parse(stream.out.trim().split('\n').at(-1) ?? '').error.code, 'unknown_provider')
})

test('colours come where they are forced and nobody refuses them', async () => {
  const world = makeWorld(FILES)
  const [forced, refused, flag] = await Promise.all([
    svc(world, 'rnu', { env: { FORCE_COLOR: '1' } }),
    svc(world, 'rnu', { env: { FORCE_COLOR: '1', NO_COLOR: '1' } }),
    svc(world, '--no-color rnu', { env: { FORCE_COLOR: '1' } }),
  ])
  assert.match(forced.err, COLOUR)
  assert.not.match(refused.err, COLOUR)
  assert.not.match(flag.err, COLOUR)
})

test('standard input is read where - stands, and must be text of a bearable size', async () => {
  const world = makeWorld(FILES)
  const read = (input: string | Uint8Array) => svc(world, 'run -q -', { input })
  const [text, empty, binary, zero, long, huge] = await Promise.all([
    read(`${TASK}\n`),
    read(''),
    read(Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe])),
    read('a\0b'),
    read('x'.repeat(200_001)),
    read('x'.repeat(5_000_000)),
  ])
  assert.is(text.code, 0, text.err)
  assert.match(text.out, /MIT/)
  const wrong = [
    [empty, /the task is empty: standard input must say/],
    [binary, /standard input is not UTF-8 text but binary data \(6 bytes\)/],
    [zero, /standard input is not UTF-8 text but binary data/],
    [long, /the task has 200001 characters; at most 200000 are allowed/],
    [huge, /the task has more than 800000 bytes/],
  ] as const
  for (const [{ code, out, err }, message] of wrong) {
    assert.is(code, 2, err)
    assert.is(out, '')
    assert.match(err, message)
    assert.not.match(err, STACK)
  }
})

test('a task that no word says is read from standard input, and its absence is said', async () => {
  const world = makeWorld(FILES)
  const [piped, planned, both, empty, blank] = await Promise.all([
    svc(world, 'run -q', { input: `${TASK}\n` }),
    svc(world, 'plan --json', { input: TASK }),
    svc(world, ['run', '-q', TASK], { input: 'What is 1 + 1?' }),
    svc(world, 'run'),
    svc(world, 'analyze', { input: ' \n' }),
  ])
  assert.is(piped.code, 0, piped.err)
  assert.match(piped.out, /MIT/)
  assert.is(planned.code, 0, planned.err)
  assert.match(planned.out, /licen[cs]e/i)
  assert.match(both.out, /MIT/, 'words come first')
  assert.not.match(both.out, /= 2/)
  for (const { code, out, err } of [empty, blank]) {
    assert.is(code, 2)
    assert.is(out, '')
    assert.match(err, /the task is missing: standard input is empty; say it in words, as in svc run "<task>"/)
  }
})

test('a budget below what one agent needs is refused with the least that will do', async () => {
  const [tiny] = await each(makeWorld(FILES), [['run', '--budget', '10', TASK]])
  assert.is(tiny.code, 2)
  assert.is(tiny.out, '')
  assert.match(tiny.err, /a budget of 10 tokens is too small: one agent needs at least \d+.*\[budget_too_small\]/)
  assert.not.match(tiny.err, /run_/, 'no run was made')
})

test('files are handed over, schemas are obeyed or refused, time runs out with 124', async () => {
  const world = makeWorld({
    ...FILES,
    'notes.txt': 'The launch code name is Bluebird.\n',
    'schema.json': { type: 'object', properties: { licence: { type: 'string' } }, required: ['licence'] },
    'broken.json': '{ "type": ',
    'list.json': [1],
    'picture.bin': Uint8Array.from([0, 255, 254, 1]),
  })
  const [file, schema, broken, list, binary, late] = await each(world, [
    ['run', '-q', '--file', 'notes.txt', 'What is the launch code name?'],
    ['run', '-q', '--schema', 'schema.json', TASK],
    ['run', '--schema', 'broken.json', TASK],
    ['run', '--schema', 'list.json', TASK],
    ['run', '--file', 'picture.bin', TASK],
    ['run', '--timeout', '1ms', TASK],
  ])
  assert.match(file.out, /^I could not answer this\. I found no direct answer[^\n]*:\n[\s\S]*Bluebird/)
  assert.is(file.code, 6)
  if (schema.code === 0) assert.type(JSON.parse(schema.out).licence, 'string')
  else assert.is(schema.code, 6, schema.err)
  assert.is(broken.code, 2)
  assert.match(broken.err, /--schema broken.json is not JSON/)
  assert.is(list.code, 2)
  assert.match(list.err, /--schema list.json must hold a JSON object/)
  assert.is(binary.code, 2)
  assert.match(binary.err, /picture.bin is not UTF-8 text but binary data/)
  assert.is(late.code, 124, late.err)
  assert.match(late.err, /not finished within 0.001 s/)
})

test('--cwd, --config and the environment say where and how', async () => {
  const elsewhere = makeWorld({ 'package.json': { name: 'other', license: 'ISC' } })
  const world = makeWorld(FILES)
  addFiles(world.work, { 'other.json': { tokenBudget: 2000 } })
  const [there, named, missing, nowhere] = await each(
    world,
    [
      ['run', '-q', '--cwd', elsewhere.work, TASK],
      ['plan', '--json', '--config', 'other.json', TASK],
      ['run', '--config', 'nothing.json', TASK],
      ['run', '--cwd', '/nowhere/at/all', TASK],
    ],
    { SVC_TOPOLOGY: 'SEQUENTIAL' },
  )
  assert.match(there.out, /ISC/)
  assert.is(JSON.parse(named.out).budget.total, 2000)
  assert.is(missing.code, 3)
  assert.match(missing.err, /nothing\.json.*there is no such file.*\[config_invalid\]/)
  assert.is(nowhere.code, 3)
  assert.match(nowhere.err, /\/nowhere\/at\/all/)
  assert.not.match(nowhere.err, STACK)
})

test.run()
