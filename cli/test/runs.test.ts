/** Runs that outlive their process: stopped, gone on with, answered, watched, moved and looked at from others. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionResult, Run, RunEvent } from '@svc/core'
import { loadConfig } from '@svc/core/config'
import { createRuntime } from '@svc/plugins'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Asked, dropIn, type ModelServer, type Said, startModelServer } from './fixtures/model-server.ts'
import { begin, each, makeWorld, type Outcome, STACK, svc, type World } from './fixtures/world.ts'

const test = suite('svc runs')

let server: ModelServer
/** Models that hang until they are freed. */
const hanging = new Set<string>()

const textOf = (asked: Asked): string => JSON.stringify(asked.messages)
const hasResult = ({ messages }: Asked): boolean => messages.some(({ role }) => role === 'tool')

/** Reads a file, then answers; the second call hangs as long as the task's word is hanging. */
function say(asked: Asked): Said {
  const word = /WORD-\w+/.exec(textOf(asked))?.[0] ?? ''
  if (textOf(asked).includes('EVIL')) return '\u001b[31mred\u001b]0;title\u0007 and \u202ereversed'
  if (!hasResult(asked)) {
    const isWrite = textOf(asked).includes('Write')
    const args = isWrite ? { path: `${word}.txt`, content: 'hi' } : { path: 'notes.md' }
    return { calls: [{ name: isWrite ? 'write_file' : 'read_file', args: JSON.stringify(args) }] }
  }
  return hanging.has(word) ? () => {} : `The crane is 40 years old (${word}).`
}

test.before(async () => {
  server = await startModelServer(say)
})
test.after(() => server.close())

const world = (own: Record<string, unknown> = {}): World =>
  makeWorld({ 'notes.md': 'The crane is 40 years old.\n' }, { 'providers/mine.json': dropIn(server), ...own })

const task = (word: string): string[] => ['run', '--topology', 'SINGLE', `How old is the crane? ${word}`]
const json = <T>({ out, err }: Outcome): T => {
  try {
    return JSON.parse(out) as T
  } catch {
    throw new Error(`no JSON: ${out} ${err}`)
  }
}
const runsOf = async (here: World, ...flags: string[]): Promise<Run[]> =>
  json<{ data: Run[] }>(await svc(here, ['runs', 'list', '--json', ...flags])).data

/** Calls of the model for one task, by whether a tool had answered. */
const callsOf = (word: string): [first: number, second: number] => {
  const own = server.asked.filter((asked) => textOf(asked).includes(word))
  return [own.filter((asked) => !hasResult(asked)).length, own.filter(hasResult).length]
}

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** A run whose process was killed during its second model call. */
async function killed(here: World, word: string, args = task(word)): Promise<string> {
  hanging.add(word)
  const running = begin(here, args)
  const [, id = ''] = await running.says(/svc: (run_\w+)/)
  await until(() => callsOf(word)[1] > 0)
  running.child.kill('SIGKILL')
  await running.outcome
  hanging.delete(word)
  return id
}

/** A run that a program asks for and leaves to others; nobody is at a terminal here who could approve. */
async function queue({ work, env }: World, word: string): Promise<string> {
  const runtime = await createRuntime(await loadConfig({ env, cwd: work }), { env, persist: true, claims: 'none' })
  try {
    const { id } = await runtime.runs.create({
      task: `How old is the crane? ${word}`,
      topology: 'SINGLE',
      approval: 'wait',
    })
    return id
  } finally {
    await runtime.close()
  }
}

test('a run that was killed goes on where it was, and asks nothing again that was answered', async () => {
  const here = world()
  const id = await killed(here, 'WORD-kill')
  const [left] = await runsOf(here)
  assert.equal([left?.id, left?.status], [id, 'running'])
  const next = await svc(here, task('WORD-next'))
  assert.is(next.code, 0, next.err)
  assert.match(
    next.err,
    new RegExp(`^svc: unfinished here: "How old is the crane\\? WORD-kill" \\(running\\): .*${id}`, 'm'),
  )
  const resumed = await svc(here, ['runs', 'resume', '--last', '--json'])
  assert.is(resumed.code, 0, resumed.err)
  const result = json<ExecutionResult>(resumed)
  assert.is(result.runId, id)
  assert.is(result.summary, 'The crane is 40 years old (WORD-kill).')
  assert.equal(callsOf('WORD-kill'), [1, 2], 'the recorded call was not made again')
  const quiet = await svc(here, task('WORD-quiet'))
  assert.not.match(quiet.err, /unfinished/)
  const again = await svc(here, ['runs', 'resume', id])
  assert.is(again.code, 1)
  assert.match(again.err, /is completed.*\[invalid_transition\]/)
})

test('a run that Ctrl-C cancelled is gone on with by a new one', async () => {
  const here = world()
  hanging.add('WORD-int')
  const running = begin(here, task('WORD-int'))
  const [, id = ''] = await running.says(/svc: (run_\w+)/)
  await until(() => callsOf('WORD-int')[1] > 0)
  running.child.kill('SIGINT')
  const stopped = await running.outcome
  assert.is(stopped.code, 130)
  assert.match(stopped.err, `svc: svc runs resume ${id} goes on with it`)
  hanging.delete('WORD-int')
  const resumed = await svc(here, ['runs', 'resume', '--last'])
  assert.is(resumed.code, 0, resumed.err)
  assert.is(resumed.out, 'The crane is 40 years old (WORD-int).\n')
  assert.equal(callsOf('WORD-int'), [1, 2])
  const [newest] = await runsOf(here)
  assert.is(newest?.parentRunId, id)
  const nothing = await svc(here, ['runs', 'resume', '--last'])
  assert.match(nothing.err, /there is no unfinished run here.*\[run_not_found\]/)
})

test('a run at work is watched from another process, and is not taken from the one that holds it', async () => {
  const here = world()
  hanging.add('WORD-watch')
  const running = begin(here, task('WORD-watch'))
  const [, id = ''] = await running.says(/svc: (run_\w+)/)
  await until(() => callsOf('WORD-watch')[1] > 0)
  const watching = begin(here, ['runs', 'watch', id, '--output', 'stream-json'])
  const shown = begin(here, ['runs', 'watch', id.slice(-8)])
  await shown.says(/read_file/)
  const [resume, rm, gone] = await Promise.all([
    svc(here, ['runs', 'resume', id]),
    svc(here, ['runs', 'rm', id]),
    svc(here, ['runs', 'watch', id, '--timeout', '300ms']),
  ])
  assert.is(resume.code, 1)
  assert.match(resume.err, /is running.*\[invalid_transition\]/)
  assert.is(rm.code, 1)
  assert.match(rm.err, /\[run_active\]/)
  assert.is(gone.code, 124, 'who stops to watch stops nothing else')
  running.child.kill('SIGINT')
  const [run, watched, tree] = await Promise.all([running.outcome, watching.outcome, shown.outcome])
  hanging.delete('WORD-watch')
  assert.equal([run.code, watched.code, tree.code], [130, 130, 130])
  const lines = watched.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent & { result?: unknown })
  const seqs = lines.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
  assert.equal(
    seqs,
    seqs.map((_, index) => index + 1),
    'each event once, in order',
  )
  assert.is(lines.at(-2)?.type, 'run.cancelled')
  assert.ok(lines.at(-1)?.result)
})

test('a run of another process is cancelled, and one that nobody works on as well', async () => {
  const here = world()
  hanging.add('WORD-cancel')
  const running = begin(here, task('WORD-cancel'))
  const [, id = ''] = await running.says(/svc: (run_\w+)/)
  await until(() => callsOf('WORD-cancel')[1] > 0)
  const cancelled = await svc(here, ['runs', 'cancel', id, '--json'])
  assert.is(json<Run>(cancelled).status, 'cancelled')
  assert.is((await running.outcome).code, 130)
  const left = await killed(here, 'WORD-left')
  assert.is((await svc(here, ['runs', 'cancel', left])).out, `${left} is cancelled\n`)
  assert.is((await svc(here, ['runs', 'cancel', left])).out, `${left} is cancelled already\n`)
})

test('an approval is answered from another process, and by resuming where no process holds the run', async () => {
  const ask = { policy: { rules: [{ tool: 'read_file', decision: 'ask' }] } }
  const here = world({ 'svc.config.json': ask })
  const approve = async (how: string[]): Promise<Outcome> => {
    const { data } = json<{ data: { id: string }[] }>(await svc(here, ['approvals', 'list', '--json']))
    return svc(here, ['approvals', ...how.slice(0, 1), data[0]?.id ?? '', ...how.slice(1)])
  }
  const worker = begin(here, ['worker'])
  await worker.says(/waiting for runs/)
  const waiting = await queue(here, 'WORD-ask')
  await worker.says(new RegExp(`${waiting} waits: .*svc approvals approve apr_`))
  const listed = await svc(here, ['approvals', 'list'])
  assert.match(listed.out, /^apr_\w+ +\w{8} +in 23 h +read_file +\{"path":"notes\.md"\}$/m)
  const approved = await approve(['approve', '--remember', 'run'])
  assert.is(approved.code, 0, approved.err)
  assert.not.match(approved.err, /no process works/)
  const watched = await svc(here, ['runs', 'watch', waiting])
  assert.is(watched.out, 'The crane is 40 years old (WORD-ask).\n')

  const second = await queue(here, 'WORD-late')
  await worker.says(new RegExp(`${second} waits`))
  worker.child.kill('SIGTERM')
  const { code, out } = await worker.outcome
  assert.is(code, 143)
  assert.match(out, new RegExp(`^${waiting} begins: How old[^]*^${waiting} completed after`, 'm'))
  const denied = await approve(['deny', '--note', 'not today'])
  assert.match(denied.err, new RegExp(`no process works on ${second}: svc runs resume ${second} goes on with it`))
  assert.match(denied.out, /^apr_\w+ \(read_file\) is denied$/m)
  const closed = await svc(here, ['approvals', 'approve', denied.out.split(' ')[0] ?? ''])
  assert.match(closed.err, /\[approval_closed\]/)
  const resumed = await svc(here, ['runs', 'resume', second, '--json'])
  assert.is(json<ExecutionResult>(resumed).toolCalls.denied, 1)
})

test('a run moves to another folder as a file, and is replayed, compared and forked there', async () => {
  const here = world()
  const there = world()
  const first = json<ExecutionResult>(await svc(here, [...task('WORD-move'), '--json']))
  const id = first.runId
  const exported = await svc(here, ['runs', 'export', id])
  const file = join(there.work, 'run.jsonl')
  writeFileSync(file, exported.out)
  writeFileSync(join(there.work, 'cut.jsonl'), exported.out.slice(0, -200))
  writeFileSync(join(there.work, 'doctored.jsonl'), exported.out.replace('40 years', '50 years'))
  writeFileSync(join(there.work, 'newer.jsonl'), exported.out.replace('"svcRun":1', '"svcRun":2'))
  writeFileSync(join(there.work, 'other.json'), '{"a":1}\n')
  writeFileSync(join(there.work, 'edits.json'), JSON.stringify({ nobody: 'x' }))
  const asked = server.asked.length
  const [imported, replayed, again, ...wrong] = await each(there, [
    ['runs', 'import', 'run.jsonl'],
    ['runs', 'replay', id],
    ['runs', 'import', 'run.jsonl'],
    ['runs', 'import', 'cut.jsonl'],
    ['runs', 'import', 'doctored.jsonl'],
    ['runs', 'import', 'newer.jsonl'],
    ['runs', 'import', 'other.json'],
    ['runs', 'import', 'nowhere.jsonl'],
    ['runs', 'fork', id, '--at', '9999'],
    ['runs', 'fork', id, '--at', '20', '--tool-results', 'edits.json'],
    ['runs', 'fork', id, '--at', '20', '--plan', 'edits.json'],
    ['runs', 'fork', id],
  ])
  assert.is(imported?.out, `imported ${id}, completed\n`)
  assert.is(replayed?.out, 'identical\n')
  assert.is(again?.code, 0)
  for (const { code, out, err } of wrong) {
    assert.is(code, 2, err)
    assert.is(out, '')
    assert.match(err, /\[validation_failed\]/)
    assert.not.match(err, STACK)
  }
  assert.is(server.asked.length, asked, 'looking back asks no model')
  const piped = await svc(world(), ['runs', 'import', '-'], { input: exported.out })
  assert.is(piped.code, 0, piped.err)

  const forked = await svc(there, ['runs', 'fork', id, '--at', '9', '--task', 'Say how old it is WORD-fork', '--json'])
  assert.is(forked.code, 0, forked.err)
  const other = json<ExecutionResult>(forked).runId
  const [diff, text] = await each(there, [
    ['runs', 'diff', id, other, '--json'],
    ['runs', 'diff', id, other],
  ])
  assert.ok(json<{ output: unknown[] }>(diff as Outcome).output.length > 0)
  assert.match(text?.out ?? '', /^answer\n {2}\/summary\n {4}- The crane is 40 years old \(WORD-move\)\./m)
  const saved = await svc(here, ['runs', 'export', id, 'saved.jsonl'])
  assert.is(saved.code, 0, saved.err)
  assert.is(readFileSync(join(here.work, 'saved.jsonl'), 'utf8'), exported.out)
  assert.is((await svc(here, ['runs', 'export', id, 'saved.jsonl'])).code, 2, 'no file is written over')
})

test('lists filter and page, ids may be short, and wrong ones are named', async () => {
  const here = world()
  const words = ['WORD-one', 'WORD-two', 'EVIL \u001b[2J\u009b31m task']
  const [one, two] = await each(
    here,
    words.map((word) => [...task(word), '--json']),
  )
  const ids = [one, two].map((outcome) => json<ExecutionResult>(outcome as Outcome).runId)
  const [table, paged, found, evil, evilJson, ...wrong] = await each(here, [
    ['runs', 'list'],
    ['runs', 'list', '--json', '--limit', '1', '--q', 'crane'],
    ['runs', 'get', (ids[0] ?? '').slice(-8), '--json'],
    ['runs', 'list', '--q', 'EVIL'],
    ['runs', 'list', '--q', 'EVIL', '--json'],
    ['runs', 'get', 'run_01JZ4K0M6T8N2QW3E5R7Y9V1XA'],
    ['runs', 'get', 'ZZZZZZZZ'],
    ['runs', 'get', (ids[0] ?? '').slice(4, 8)],
    ['runs', 'get', 'thr_01JZ4K0M6T8N2QW3E5R7Y9V1XA'],
    ['runs', 'get', 'x'],
    ['runs', 'get'],
    ['runs', 'get', ids[0] ?? '', ids[1] ?? ''],
    ['runs', 'list', '--status', 'complete'],
    ['runs', 'list', '--limit', '0'],
    ['runs', 'list', '--at', '3'],
    ['runs', 'list', '--after', 'nonsense'],
    ['runs', 'show'],
    ['runs', 'resume'],
    ['runs', 'resume', ids[0] ?? '', '--last'],
    ['approvals', 'approve', ids[0] ?? ''],
    ['approvals', 'approve', 'apr_01JZ4K0M6T8N2QW3E5R7Y9V1XA', '--edit', '{'],
  ])
  assert.is(table?.out.trim().split('\n').length, 4)
  for (const line of (table?.out ?? '').split('\n')) assert.ok(line.length <= 100, line)
  const page = json<{ data: Run[]; nextCursor: string }>(paged as Outcome)
  assert.equal(page.data.length, 1)
  const next = await runsOf(here, '--limit', '1', '--after', page.nextCursor, '--q', 'crane')
  assert.is(next.length, 1)
  assert.is(json<Run>(found as Outcome).id, ids[0])
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
  assert.match(wrong[2]?.err ?? '', /is not one run but 3/)
  assert.match(wrong[3]?.err ?? '', /is the id of a thread, not of a run/)
  assert.match(wrong[9]?.err ?? '', /--at is no option of svc runs list, but of fork/)
  assert.match(wrong[11]?.err ?? '', /svc runs has no "show"/)
  const [removed, gone, missing] = await each(here, [
    ['runs', 'rm', ...ids],
    ['runs', 'list', '--json', '--q', 'crane'],
    ['runs', 'rm', ids[0] ?? ''],
  ])
  assert.is(removed?.code, 0, removed?.err)
  assert.is(json<{ data: Run[] }>(gone as Outcome).data.length, 1)
  assert.is(missing?.code, 1)
})

test('where runs are not kept, or cannot be, one line says so', async () => {
  const memory = world({ 'svc.config.json': { store: { url: 'memory:' } } })
  const broken = world()
  writeFileSync(join(broken.work, 'a-file'), 'x')
  const [list, run] = await each(memory, [['runs', 'list'], task('WORD-memory')])
  assert.is(list?.code, 3)
  assert.match(list?.err ?? '', /runs are not kept here: .*\[config_invalid\]/)
  assert.is(run?.code, 0, run?.err)
  const [unopened] = await each(broken, [['runs', 'list']], { SVC_DATA_DIR: join(broken.work, 'a-file') })
  assert.is(unopened?.code, 5, unopened?.err)
  assert.match(unopened?.err ?? '', /^svc: .*\[store_unavailable\]$/m)
  assert.not.match(unopened?.err ?? '', STACK)
})

test('a worker finishes what a killed process left, and drains at a signal', async () => {
  const here = world()
  const id = await killed(here, 'WORD-worker')
  const worker = begin(here, ['worker', '--json', '--concurrency', '1'])
  const watched = await svc(here, ['runs', 'watch', id])
  assert.is(watched.out, 'The crane is 40 years old (WORD-worker).\n')
  assert.equal(callsOf('WORD-worker'), [1, 2])
  worker.child.kill('SIGINT')
  const { code, out } = await worker.outcome
  assert.is(code, 130)
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; runId: string })
  assert.equal(
    lines.map(({ event }) => event),
    ['run.recovered', 'run.completed'],
  )
  assert.ok(lines.every(({ runId }) => runId === id))
  const wrong = await svc(here, ['worker', '--concurrency', 'many'])
  assert.is(wrong.code, 2)
})

test.run()
