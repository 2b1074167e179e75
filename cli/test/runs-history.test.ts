/** Runs looked at afterwards: listed, moved as files, replayed, compared, forked, removed; and what is no run. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionResult, Run, RunCosts, RunEvent } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { damageLog } from '../../plugins/test/fixtures/damage.ts'
import { json, killed, notesWorld, runsOf, startNotesServer, task } from './fixtures/notes.ts'
import { each, svc } from './fixtures/svc.ts'
import { type Outcome, STACK } from './fixtures/world.ts'

const test = suite('svc runs, looking back')

const server = await startNotesServer()

test('runs are found by words of their answers, by verdict and model, and what they took is added up', async () => {
  const here = notesWorld(server)
  const made = json<ExecutionResult>(await svc(here, [...task('WORD-found'), '--json']))
  const words = made.summary.slice(0, 12).toUpperCase()
  const [found, table, byModel, noModel, other, costs, figures, ...wrong] = await each(here, [
    ['runs', 'list', '--search', words, '--json'],
    ['runs', 'list', '--search', words],
    ['runs', 'list', '--model', made.agents[0]?.model ?? '', '--verdict', made.verdict, '--json'],
    'runs list --model nobody/nothing --json',
    ['runs', 'list', '--verdict', made.verdict === 'fail' ? 'pass' : 'fail', '--json'],
    'runs costs --per month --by model',
    'runs costs --json --by folder --all',
    'runs list --verdict good',
    'runs list --folder /elsewhere',
    'runs costs --per year',
    'runs costs --since yesterday',
  ])
  const idsOf = (outcome: Outcome): string[] => json<{ data: Run[] }>(outcome).data.map(({ id }) => id)
  assert.equal(idsOf(found), [made.runId])
  const [run] = json<{ data: Run[] }>(found).data
  const piece = run?.found
  assert.is(piece?.text.slice(piece.from, piece.to).toUpperCase(), words)
  assert.match(table.out, /found in the answer/)
  assert.equal([idsOf(byModel), idsOf(noModel), idsOf(other)], [[made.runId], [], []])
  assert.match(costs.out, /^month +tokens +cost +runs +model\n\d{4}-\d\d-01 /)
  assert.ok(costs.out.includes(made.agents[0]?.model ?? ''))
  const { data } = json<RunCosts>(figures)
  assert.is(data[0]?.tokens, made.usage.inputTokens + made.usage.outputTokens)
  for (const { code, out, err } of wrong) {
    assert.equal([code, out], [2, ''], err)
    assert.not.match(err, STACK)
  }
})

test('a run moves to another folder as a file, and is replayed, compared and forked there', async () => {
  const here = notesWorld(server)
  const there = notesWorld(server)
  const first = json<ExecutionResult>(await svc(here, [...task('WORD-move'), '--json']))
  const id = first.runId
  const exported = await svc(here, ['runs', 'export', id])
  const file = join(there.work, 'run.jsonl')
  writeFileSync(file, exported.out)
  writeFileSync(join(there.work, 'cut.jsonl'), exported.out.slice(0, -200))
  writeFileSync(join(there.work, 'doctored.jsonl'), exported.out.replace('40 years', '50 years'))
  writeFileSync(join(there.work, 'newer.jsonl'), exported.out.replace('"svcRun":2', '"svcRun":3'))
  writeFileSync(join(there.work, 'other.json'), '{"a":1}\n')
  writeFileSync(join(there.work, 'edits.json'), JSON.stringify({ nobody: 'x' }))
  const asked = server.asked.length
  const [imported, replayed, again, ...wrong] = await each(there, [
    'runs import run.jsonl',
    ['runs', 'replay', id],
    'runs import run.jsonl',
    'runs import cut.jsonl',
    'runs import doctored.jsonl',
    'runs import newer.jsonl',
    'runs import other.json',
    'runs import nowhere.jsonl',
    ['runs', 'fork', id, '--at', '9999'],
    ['runs', 'fork', id, '--at', '20', '--tool-results', 'edits.json'],
    ['runs', 'fork', id, '--at', '20', '--plan', 'edits.json'],
    ['runs', 'fork', id],
  ])
  assert.is(imported.out, `imported ${id}, completed\n`)
  assert.is(replayed.out, 'identical\n')
  assert.is(again.code, 0)
  for (const { code, out, err } of wrong) {
    assert.is(code, 2, err)
    assert.is(out, '')
    assert.match(err, /\[validation_failed\]/)
    assert.not.match(err, STACK)
  }
  assert.is(server.asked.length, asked, 'looking back asks no model')
  const piped = await svc(notesWorld(server), 'runs import -', { input: exported.out })
  assert.is(piped.code, 0, piped.err)

  const forked = await svc(there, ['runs', 'fork', id, '--at', '9', '--task', 'Say how old it is WORD-fork', '--json'])
  assert.is(forked.code, 0, forked.err)
  assert.match(forked.err, /svc: set up otherwise than its parent:\n {2}task: How old is .* -> Say how old/)
  const other = json<ExecutionResult>(forked).runId
  const [diff, text] = await each(there, [
    ['runs', 'diff', id, other, '--json'],
    ['runs', 'diff', id, other],
  ])
  assert.ok(json<{ output: unknown[] }>(diff).output.length > 0)
  assert.match(text.out, /^answer\n {2}\/summary\n {4}- The crane is 40 years old \(WORD-move\)\./m)
  const log = await svc(there, ['runs', 'get', id, '--events'])
  assert.match(log.out, /^1 +0\.0 s +run\.created +How old is the crane\? WORD-move$/m)
  for (const line of log.out.split('\n')) assert.ok(line.length <= 120, line)
  const saved = await svc(here, ['runs', 'export', id, 'saved.jsonl'])
  assert.is(saved.code, 0, saved.err)
  assert.is(readFileSync(join(here.work, 'saved.jsonl'), 'utf8'), exported.out)
  assert.is((await svc(here, ['runs', 'export', id, 'saved.jsonl'])).code, 2, 'no file is written over')
})

test('who goes on with a run asks the model that it was begun with', async () => {
  const here = notesWorld(server)
  const modelsOf = (from: number): unknown[] => [...new Set(server.asked.slice(from).map(({ model }) => model))]
  const id = await killed(server, here, 'WORD-model', '--model', 'mine/second')
  for (const [words, model] of [
    [['runs', 'resume', id], 'second'],
    [['runs', 'fork', id, '--at', '9'], 'second'],
    [['runs', 'fork', id, '--at', '9', '--model', 'mine/third'], 'third'],
  ] as const) {
    const from = server.asked.length
    const { code, err } = await svc(here, [...words])
    assert.is(code, 0, err)
    assert.equal(modelsOf(from), [model], words.join(' '))
  }
})

test('lists filter and page, ids may be short, and wrong ones are named', async () => {
  const here = notesWorld(server)
  const words = ['WORD-one', 'WORD-two', 'EVIL \u001b[2J\u009b31m task']
  const made = await each(
    here,
    words.map((word) => [...task(word), '--json']),
  )
  const ids = made.slice(0, 2).map((outcome) => json<ExecutionResult>(outcome).runId)
  const [table, paged, found, evil, evilJson, ...wrong] = await each(here, [
    'runs list',
    'runs list --json --limit 1 --q crane',
    ['runs', 'get', (ids[0] ?? '').slice(-8), '--json'],
    'runs list --q EVIL',
    'runs list --q EVIL --json',
    'runs get run_01JZ4K0M6T8N2QW3E5R7Y9V1XA',
    'runs get ZZZZZZZZ',
    ['runs', 'get', (ids[0] ?? '').slice(4, 8)],
    'runs get thr_01JZ4K0M6T8N2QW3E5R7Y9V1XA',
    'runs get x',
    'runs get',
    ['runs', 'get', ids[0] ?? '', ids[1] ?? ''],
    'runs list --status complete',
    'runs list --limit 0',
    'runs list --at 3',
    'runs list --after nonsense',
    'runs show',
    'runs resume',
    ['runs', 'resume', ids[0] ?? '', '--last'],
    ['approvals', 'approve', ids[0] ?? ''],
    'approvals approve apr_01JZ4K0M6T8N2QW3E5R7Y9V1XA --edit {',
  ])
  assert.is(table.out.trim().split('\n').length, 4)
  for (const line of table.out.split('\n')) assert.ok(line.length <= 132, line)
  const page = json<{ data: Run[]; nextCursor: string }>(paged)
  assert.equal(page.data.length, 1)
  const next = await runsOf(here, '--limit', '1', '--after', page.nextCursor, '--q', 'crane')
  assert.is(next.length, 1)
  assert.is(json<Run>(found).id, ids[0])
  for (const { out } of [table, evil, evilJson] as Outcome[]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    assert.not.match(out, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  }
  const codes = [1, 1, ...wrong.slice(2).map(() => 2)]
  for (const [index, { code, out, err }] of wrong.entries()) {
    assert.is(code, codes[index], err)
    assert.is(out, '')
    assert.is(
      err
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('svc:')).length,
      1,
      err,
    )
    assert.not.match(err, STACK)
  }
  assert.match(
    wrong[0]?.err ?? '',
    /there is no run "run_\w+": it was removed, .*; see svc runs list \[run_not_found\]/,
  )
  assert.match(wrong[2]?.err ?? '', /is not one run but 3/)
  assert.match(wrong[3]?.err ?? '', /is the id of a thread, not of a run/)
  assert.match(wrong[9]?.err ?? '', /--at is no option of svc runs list/)
  assert.match(wrong[11]?.err ?? '', /svc runs has no "show"/)
  const [removed, gone, missing] = await each(here, [
    ['runs', 'rm', ...ids],
    'runs list --json --q crane',
    ['runs', 'rm', ids[0] ?? ''],
  ])
  assert.is(removed.code, 0, removed.err)
  assert.is(json<{ data: Run[] }>(gone).data.length, 1)
  assert.is(missing.code, 1)
})

test('a log with a hole is shown up to it, with one line that says so', async () => {
  const here = notesWorld(server)
  const { runId } = json<ExecutionResult>(await svc(here, [...task('WORD-hole'), '--json']))
  damageLog(join(here.home, '.local/svc/svc.db'), 'hole')
  const [get, events, trace, exported, watch] = await each(here, [
    ['runs', 'get', runId],
    ['runs', 'get', runId, '--events', '--json'],
    ['runs', 'trace', runId],
    ['runs', 'export', runId],
    ['runs', 'watch', runId],
  ])
  assert.is(get.code, 0, get.err)
  assert.match(get.out, /completed/)
  const logged = json<RunEvent[]>(events)
  assert.is(logged[0]?.type, 'run.created')
  assert.equal(logged.at(-1)?.data, { code: 'log_corrupt' })
  for (const shown of [events, trace]) {
    assert.is(shown.code, 1)
    assert.match(shown.err, /is damaged after event \d+: the rest cannot be read \[log_corrupt\]/)
  }
  assert.match(exported.out, /\{"damaged":\{"code":"log_corrupt","after":\d+\}\}/)
  assert.match(watch.err, /log_corrupt/)
})

test('where runs are not kept, or cannot be, one line says so', async () => {
  const memory = notesWorld(server, { 'svc.config.json': { store: { url: 'memory:' } } })
  const broken = notesWorld(server)
  writeFileSync(join(broken.work, 'a-file'), 'x')
  const [list, run] = await each(memory, ['runs list', task('WORD-memory')])
  assert.is(list.code, 3)
  assert.match(list.err, /runs are not kept here: .*\[config_invalid\]/)
  assert.is(run.code, 0, run.err)
  const data = join(broken.work, 'damaged')
  mkdirSync(data)
  writeFileSync(join(data, 'svc.db'), 'these are notes, and no database '.repeat(200))
  for (const [dir, what] of [
    [join(broken.work, 'a-file'), 'a-file is a file'],
    [data, 'svc.db is damaged'],
  ] as const) {
    const [doctor] = await each(broken, ['doctor'], { SVC_DATA_DIR: dir })
    assert.is(doctor.code, 1, doctor.out)
    assert.match(doctor.out, new RegExp(`^fail +data folder .*${what}.* Fix: set SVC_DATA_DIR`, 'm'))
  }
  const [unopened] = await each(broken, ['runs list'], { SVC_DATA_DIR: join(broken.work, 'a-file') })
  assert.is(unopened.code, 5, unopened.err)
  assert.match(unopened.err, /^svc: .*\[store_unavailable\]$/m)
  assert.not.match(unopened.err, STACK)
  for (const url of ['redis://me:canary-secret@h/1', 'canary-secret', 'postgres://me:canary-secret@h:x/db']) {
    const [wrong] = await each(broken, ['runs list'], { SVC_DATABASE_URL: url })
    assert.is(wrong.code, 3, wrong.err)
    assert.match(wrong.err, /^svc: \/store\/url \(or SVC_DATABASE_URL\).*\[config_invalid\]$/m)
    assert.not.match(wrong.err, /canary-secret/)
  }
})

test.run()
