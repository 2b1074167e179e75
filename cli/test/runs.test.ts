/** Runs that outlive their process: stopped, gone on with, answered and watched from others. */

import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionResult, Run, RunEvent } from '@svc/core'
import { loadConfig } from '@svc/core/config'
import { createRuntime } from '@svc/plugins'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../server/test/fixtures/until.ts'
import { callsOf, hanging, json, killed, notesWorld, runsOf, startNotesServer, task } from './fixtures/notes.ts'
import { each, jsonLines, svc } from './fixtures/svc.ts'
import { begin, makeWorld, type Outcome, type World } from './fixtures/world.ts'

const test = suite('svc runs')

const server = await startNotesServer()

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
  const here = notesWorld(server)
  const id = await killed(server, here, 'WORD-kill')
  const [left] = await runsOf(here)
  assert.equal([left?.id, left?.status], [id, 'running'])
  const next = await svc(here, task('WORD-next'))
  assert.is(next.code, 0, next.err)
  assert.match(
    next.err,
    new RegExp(`^svc: unfinished here: "How old is the crane\\? WORD-kill" \\(running\\): .*${id}`, 'm'),
  )
  const resumed = await svc(here, 'runs resume --last --json')
  assert.is(resumed.code, 0, resumed.err)
  const result = json<ExecutionResult>(resumed)
  assert.is(result.runId, id)
  assert.is(result.summary, 'The crane is 40 years old (WORD-kill).')
  assert.equal(callsOf(server, 'WORD-kill'), [1, 2], 'the recorded call was not made again')
  const quiet = await svc(here, task('WORD-quiet'))
  assert.not.match(quiet.err, /unfinished/)
  const again = await svc(here, ['runs', 'resume', id])
  assert.is(again.code, 1)
  assert.match(again.err, /is completed.*\[invalid_transition\]/)
})

test('a run that Ctrl-C cancelled is gone on with by a new one', async () => {
  const here = notesWorld(server)
  hanging.add('WORD-int')
  const running = begin(here, task('WORD-int'))
  const [, id = ''] = await running.says(/svc: (run_\w+)/)
  await until(() => callsOf(server, 'WORD-int')[1] > 0)
  running.child.kill('SIGINT')
  const stopped = await running.outcome
  assert.is(stopped.code, 130)
  assert.match(stopped.err, `svc: svc runs resume ${id} goes on with it`)
  hanging.delete('WORD-int')
  const resumed = await svc(here, 'runs resume --last')
  assert.is(resumed.code, 0, resumed.err)
  assert.is(resumed.out, 'The crane is 40 years old (WORD-int).\n')
  assert.equal(callsOf(server, 'WORD-int'), [1, 2])
  const [newest] = await runsOf(here)
  assert.is(newest?.parentRunId, id)
  const nothing = await svc(here, 'runs resume --last')
  assert.match(nothing.err, /there is no unfinished run here.*\[run_not_found\]/)
})

test('a run at work is watched from another process, and is not taken from the one that holds it', async () => {
  const here = notesWorld(server)
  hanging.add('WORD-watch')
  const running = begin(here, task('WORD-watch'))
  const [, id = ''] = await running.says(/svc: (run_\w+)/)
  await until(() => callsOf(server, 'WORD-watch')[1] > 0)
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
  const lines = jsonLines<RunEvent & { result?: unknown }>(watched.out)
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
  const here = notesWorld(server)
  hanging.add('WORD-cancel')
  const running = begin(here, task('WORD-cancel'))
  const [, id = ''] = await running.says(/svc: (run_\w+)/)
  await until(() => callsOf(server, 'WORD-cancel')[1] > 0)
  const cancelled = await svc(here, ['runs', 'cancel', id, '--json'])
  assert.is(json<Run>(cancelled).status, 'cancelled')
  assert.is((await running.outcome).code, 130)
  const left = await killed(server, here, 'WORD-left')
  assert.is((await svc(here, ['runs', 'cancel', left])).out, `${left} is cancelled\n`)
  assert.is((await svc(here, ['runs', 'cancel', left])).out, `${left} is cancelled already\n`)
})

test('an approval is answered from another process, and by resuming where no process holds the run', async () => {
  const ask = { policy: { rules: [{ tool: 'read_file', decision: 'ask' }] } }
  const here = notesWorld(server, { 'svc.config.json': ask })
  const approve = async (how: string[]): Promise<Outcome> => {
    const { data } = json<{ data: { id: string }[] }>(await svc(here, 'approvals list --json'))
    return svc(here, ['approvals', ...how.slice(0, 1), data[0]?.id ?? '', ...how.slice(1)])
  }
  const worker = begin(here, 'worker')
  await worker.says(/waiting for runs/)
  const waiting = await queue(here, 'WORD-ask')
  await worker.says(new RegExp(`${waiting} waits: .*svc approvals approve apr_`))
  const listed = await svc(here, 'approvals list')
  assert.match(listed.out, /^apr_\w+ +\w{8} +in 23 h +read_file +\{"path":"notes\.md"\}$/m)
  const approved = await approve(['approve', '--remember', 'run'])
  assert.is(approved.code, 0, approved.err)
  assert.match(approved.err, /wants to use read_file \(risk read; [\s\S]*path: notes\.md\n {2}in .*work\n$/)
  assert.not.match(approved.err, /no process works/)
  const watched = await svc(here, ['runs', 'watch', waiting])
  assert.is(watched.out, 'The crane is 40 years old (WORD-ask).\n')

  const second = await queue(here, 'WORD-late')
  await worker.says(new RegExp(`${second} waits`))
  worker.child.kill('SIGTERM')
  const { code, out } = await worker.outcome
  assert.is(code, 143)
  assert.match(out, new RegExp(`^${waiting} begins: How old[^]*^${waiting} completed after`, 'm'))
  const left = await svc(here, ['runs', 'resume', second])
  assert.is(left.code, 8, left.err)
  const [, asked = ''] =
    new RegExp(`${second} waits: .*approve (apr_\\w+), or deny; then svc runs resume ${second} goes on`).exec(
      left.err,
    ) ?? []
  for (const named of [second, second.slice(-8)]) {
    const mistaken = await svc(here, ['approvals', 'deny', named])
    assert.is(mistaken.code, 2, mistaken.err)
    assert.match(mistaken.err, new RegExp(`"${named}" is .*a run.*${asked}`))
  }
  const denied = await approve(['deny', '--note', 'not today'])
  assert.match(denied.err, new RegExp(`no process works on ${second}: svc runs resume ${second} goes on with it`))
  assert.match(denied.out, /^apr_\w+ \(read_file\) is denied$/m)
  assert.match(denied.err, /wants to use read_file \(risk read; [\s\S]*path: notes\.md\n {2}in .*work\n/)
  const closed = await svc(here, ['approvals', 'approve', denied.out.split(' ')[0] ?? ''])
  assert.match(closed.err, /\[approval_closed\]/)
  const resumed = await svc(here, ['runs', 'resume', second, '--json'])
  assert.match(resumed.err, /read_file was not approved: not today/)
  assert.ok(json<ExecutionResult>(resumed).toolCalls.denied > 0)
})

test('a worker finishes what a killed process left, and drains at a signal', async () => {
  const here = notesWorld(server)
  const id = await killed(server, here, 'WORD-worker')
  const worker = begin(here, 'worker --json --concurrency 1')
  const watched = await svc(here, ['runs', 'watch', id])
  assert.is(watched.out, 'The crane is 40 years old (WORD-worker).\n')
  assert.equal(callsOf(server, 'WORD-worker'), [1, 2])
  worker.child.kill('SIGINT')
  const { code, out } = await worker.outcome
  assert.is(code, 130)
  const lines = jsonLines<{ event: string; runId: string }>(out)
  assert.equal(
    lines.map(({ event }) => event),
    ['run.recovered', 'run.completed'],
  )
  assert.ok(lines.every(({ runId }) => runId === id))
  const wrong = await svc(here, 'worker --concurrency many')
  assert.is(wrong.code, 2)
})

test('where it is unknown whether a tool acted, the run waits for a person to say', async () => {
  const slow = {
    description: 'wait for it',
    parameters: { type: 'object' },
    risk: 'write',
    command: ['sh', '-c', 'touch begun; sleep 60'],
  }
  const here = notesWorld(server, { 'tools/slow.json': slow })
  const running = begin(here, ['run', '--yes', '--topology', 'SINGLE', 'Please wait for it: WORD-slow'])
  const [, id = ''] = await running.says(/svc: (run_\w+)/)
  await until(() => existsSync(join(here.work, 'begun')))
  running.child.kill('SIGKILL')
  await running.outcome
  const asking = begin(here, ['runs', 'resume', id])
  const [, input = ''] = await asking.says(/unknown whether slow was run.*--input '(.*)' \(or "retry", or "result"/)
  assert.is(JSON.parse(input).choice, 'skip', 'who only copies it does nothing twice')
  assert.is((await asking.outcome).code, 8, 'nobody is there who could answer')
  const asked = await svc(here, ['runs', 'resume', id, '--json'])
  assert.is(asked.code, 8, asked.err)
  assert.match(json<Run>(asked).waiting?.input?.prompt ?? '', /unknown whether slow was run/)
  const at = String(json<Run>(asked).lastSeq)
  const forked = await svc(here, ['runs', 'fork', id, '--at', at, '--json'])
  assert.is(forked.code, 8, forked.err)
  const { id: fork, waiting } = json<Run>(forked)
  assert.is.not(fork, id)
  assert.match(waiting?.input?.prompt ?? '', /unknown whether slow was run/)
  const [, answer = ''] =
    new RegExp(`${fork} waits: .*svc runs resume ${fork} --input '(.*)' \\(or`).exec(forked.err) ?? []
  assert.is(json<ExecutionResult>(await svc(here, ['runs', 'resume', fork, '--input', answer, '--json'])).runId, fork)
  const [wrong, shown] = await each(here, [
    ['runs', 'resume', id, '--input', '{"choice":"perhaps"}'],
    ['runs', 'get', id],
  ])
  assert.match(shown.out, new RegExp(`^answer with +svc runs resume ${id} --input '`, 'm'))
  assert.is(wrong.code, 2, wrong.err)
  const resumed = await svc(here, ['runs', 'resume', id, '--input', input, '--json'])
  assert.is(json<ExecutionResult>(resumed).runId, id)
  assert.equal(json<ExecutionResult>(resumed).toolCalls, { total: 1, failed: 1, denied: 0 })
})

/** A folder beside another, of the same person. */
function beside(world: World, name: string): World {
  const work = join(world.work, '..', name)
  mkdirSync(join(work, '.git'), { recursive: true })
  return { ...world, work }
}

test('what is unfinished in one folder is gone on with there, and only listed in another', async () => {
  const a = makeWorld({ 'notes.md': 'The crane is 40 years old.' })
  const b = beside(a, 'another-folder')
  const stopped = await svc(a, ['run', '--timeout', '1ms', 'How many lines does notes.md have?'])
  assert.is(stopped.code, 124, stopped.err)
  const [, id = ''] = /svc: (run_\w+)/.exec(stopped.err) ?? []

  const last = await svc(b, 'runs resume --last')
  assert.match(last.err, /there is no unfinished run here.*\[run_not_found\]/)
  const named = await svc(b, ['runs', 'resume', id])
  assert.is(named.code, 1, named.err)
  assert.ok(named.err.includes(`--cwd ${a.work}`), named.err)
  assert.match(named.err, /\[run_not_found\]/)
  for (const words of [
    ['runs', 'rm', id],
    ['runs', 'cancel', id],
    ['runs', 'fork', id, '--at', '1'],
    ['runs', 'get', id],
  ])
    assert.match((await svc(b, words)).err, /\[run_not_found\]/, words.join(' '))

  await svc(b, ['run', 'How many lines does notes.md have?'])
  assert.not.match((await svc(b, 'runs list')).out, id)
  const listed = await svc(b, 'runs list --all')
  const [head = '', own = '', other = ''] = listed.out.split('\n')
  assert.match(head, /folder/)
  assert.not.match(own, '/')
  assert.match(other, new RegExp(`^${id} .*${a.work.slice(-10)}`))
  assert.equal(
    json<{ data: { space: string }[] }>(await svc(b, 'runs list --all --json')).data.map(({ space }) => space),
    [b.work, a.work],
  )
  const read = [
    ['get', id],
    ['get', id, '--events'],
    ['trace', id],
    ['export', id],
    ['diff', id, id],
    ['watch', id],
  ]
  for (const words of read) {
    const { code, err } = await svc(b, ['runs', ...words, '--all'])
    assert.not.match(err, /not_found/, `${words.join(' ')}: ${code}`)
  }
  const resumed = await svc(a, 'runs resume --last --json')
  assert.match(resumed.err, `goes on from ${id}`)
  assert.is(json<{ status: string }>(resumed).status, 'completed')

  await svc(a, ['run', '--continue', 'And how many words?'])
  const [{ threadId = '' } = {}] = json<{ data: { threadId?: string }[] }>(await svc(a, 'runs list --json')).data
  const elsewhere = await svc(b, ['run', '--thread', threadId, 'And how many lines?'])
  assert.match(elsewhere.err, /\[thread_not_found\]/)
  assert.ok(elsewhere.err.includes(`--cwd ${a.work}`), elsewhere.err)
  assert.match((await svc(b, ['runs', 'list', '--thread', threadId])).err, /\[thread_not_found\]/)
  assert.match((await svc(b, ['runs', 'list', '--all', '--thread', threadId])).out, 'And how many words?')
})

test.run()
