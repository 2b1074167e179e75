/** `svc runs undo`, and `/undo` and `/rewind` of `svc chat`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { UndoResult } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dropIn, startModelServer } from '../fixtures/model-server.ts'
import { svc } from '../fixtures/svc.ts'
import { atTerminal, hasTerminal } from '../fixtures/terminal.ts'
import { makeWorld, type World } from '../fixtures/world.ts'

const test = suite('undo on the command line')

/** A task such as `WRITE notes.txt two` makes the model write that file, once. */
const server = await startModelServer(({ messages }) => {
  const { role, content } = messages.at(-1) ?? { role: '', content: '' }
  const [, path = '', text = ''] = /WRITE (\S+) (\w+)/.exec(String(content)) ?? []
  if (role !== 'user' || path === '') return 'Done.'
  return { calls: [{ name: 'write_file', args: JSON.stringify({ path, content: `${text}\n` }) }] }
})

const world = (files = {}): World => makeWorld(files, { 'providers/mine.json': dropIn(server) })
const ALONE = ['--topology', 'SINGLE', '--no-memory', '--yes']
const read = ({ work }: World, path: string): string => readFileSync(join(work, path), 'utf8')
const runOf = (err: string): string => /run_\w+/.exec(err)?.[0] ?? ''

test('the files of a run are as they were, and the difference is shown first where that is asked for', async () => {
  const here = world({ 'notes.txt': 'one\n' })
  const first = await svc(here, ['run', ...ALONE, 'WRITE notes.txt two'])
  const second = await svc(here, ['run', ...ALONE, 'WRITE new/file.txt here'])
  assert.equal([first.code, second.code], [0, 0], first.err + second.err)
  const id = runOf(first.err)
  const shown = await svc(here, ['runs', 'undo', id, '--dry-run'])
  assert.is(shown.code, 0, shown.err)
  assert.match(shown.out, 'restores notes.txt\n  --- notes.txt\n  +++ notes.txt\n  @@ -1,1 +1,1 @@\n  -two\n  +one')
  assert.is(read(here, 'notes.txt'), 'two\n')
  const undone = await svc(here, ['runs', 'undo', id])
  assert.is(undone.out, 'restored notes.txt\n1 path put back\n')
  assert.is(read(here, 'notes.txt'), 'one\n')
  const nothing = await svc(here, ['runs', 'undo', id])
  assert.is(nothing.out, 'nothing to undo: the files are as they were\n')
  const removed = await svc(here, ['runs', 'undo', runOf(second.err), '--json'])
  assert.equal(
    (JSON.parse(removed.out) as UndoResult).files.map(({ action, path }) => `${action} ${path}`),
    ['remove new', 'remove new/file.txt'],
  )
  assert.not.ok(existsSync(join(here.work, 'new')))
  const logged = await svc(here, ['audit', '--what', 'run.undone', '--json'])
  assert.match(logged.out, id)
})

test('what somebody changed since is named, and a step that there is not', async () => {
  const here = world({ 'notes.txt': 'one\n' })
  const id = runOf((await svc(here, ['run', ...ALONE, 'WRITE notes.txt two'])).err)
  writeFileSync(join(here.work, 'notes.txt'), 'mine\n')
  const dry = await svc(here, ['runs', 'undo', id, '--dry-run'])
  assert.is(dry.code, 1)
  assert.match(dry.out, 'in the way: notes.txt: it was changed since')
  const refused = await svc(here, ['runs', 'undo', id])
  assert.is(refused.code, 1)
  assert.match(refused.err, '"notes.txt": it was changed since [files_changed]')
  assert.is(read(here, 'notes.txt'), 'mine\n')
  const wrong = await svc(here, ['runs', 'undo', id, '--to', 'step-9'])
  assert.is(wrong.code, 2)
  assert.match(wrong.err, 'ended no step "step-9": it did step-1')
})

test('a conversation is taken back to a turn, with its files or without, and the old one stays', async () => {
  const here = world({ 'notes.txt': 'zero\n' })
  const lines = [
    'WRITE notes.txt one',
    'WRITE notes.txt two',
    'WRITE more.txt three',
    '/undo',
    '/rewind 1 both',
    '/cost',
  ]
  const { code, out, err } = await svc(here, ['chat', ...ALONE], { input: `${lines.join('\n')}\n` })
  assert.is(code, 0, err)
  assert.match(out, 'removed more.txt\n1 path put back')
  assert.match(out, 'restored notes.txt\n1 path put back')
  assert.is(read(here, 'notes.txt'), 'one\n')
  const [, fresh = '', old = ''] = /svc: (thr_\w+) goes on after turn 1; (thr_\w+) stays as it is/.exec(err) ?? []
  assert.match(err, `svc chat --thread ${fresh} goes on with this conversation`)
  const next = await svc(here, ['chat', ...ALONE, '--thread', fresh], { input: 'And now?\n' })
  assert.is(next.code, 0, next.err)
  const told = (server.asked.at(-1)?.messages ?? []).map(({ content }) => String(content)).join('\n')
  assert.match(told, 'WRITE notes.txt one')
  assert.not.match(told, 'WRITE notes.txt two')
  const before = await svc(here, ['chat', ...ALONE, '--thread', old], { input: '/rewind 2 files\n' })
  assert.match(before.out, /restored notes\.txt|nothing to undo/)
})

test('words of /rewind that mean nothing are refused with those that do', async () => {
  const here = world()
  const input =
    '/rewind\n/undo\nWRITE a.txt one\n/rewind\n/rewind 1\n/rewind x both\n/rewind 0 bits\n/rewind 1 both\n/help\n'
  const { err } = await svc(here, ['chat', ...ALONE], { input })
  for (const said of [
    'nothing was said in this conversation yet',
    'nothing was done in this conversation yet',
    '/rewind needs the number of a turn: /rewind 1 both',
    '/rewind needs files, conversation, both after the turn',
    'a number from 0, the beginning, to 1, not "x"',
    '/rewind takes back files, conversation, both, not "bits"',
    'turn 1 is the last one',
    '/undo put the files',
    '/rewind <turn> files, conversation or both',
  ])
    assert.match(err, said)
})

if (hasTerminal) {
  test('at a terminal the difference stands above the question, and No changes nothing', async () => {
    const here = world({ 'notes.txt': 'one\n' })
    const id = runOf((await svc(here, ['run', ...ALONE, 'WRITE notes.txt two'])).err)
    for (const [answer, left] of [
      ['n', 'two\n'],
      ['y', 'one\n'],
    ] as const) {
      const terminal = atTerminal(here, ['runs', 'undo', id])
      await terminal.says(/-two[\s\S]*\+one[\s\S]*Undo this\? \(y\)es, \(n\)o: /)
      terminal.type(`${answer}\r`)
      assert.is((await terminal.end).code, 0)
      assert.is(read(here, 'notes.txt'), left)
    }
  })

  test('at a terminal /rewind shows the turns after which something was done, to choose from', async () => {
    const here = world()
    const terminal = atTerminal(here, ['chat', ...ALONE], { columns: 120 })
    for (const task of ['WRITE a.txt one', 'WRITE b.txt two']) {
      await terminal.says(/> /)
      terminal.type(`${task}\r`)
      await terminal.says(/1 agent, 2 model calls/)
    }
    await terminal.says(/> /)
    terminal.type('/rewind\r')
    await terminal.says(/❯ 1\. WRITE a\.txt one[\s\S]*0\. the beginning/)
    terminal.type('\r')
    await terminal.says(/❯ files[\s\S]*both/)
    terminal.type('both')
    await terminal.says(/❯ both/)
    terminal.type('\r')
    await terminal.says(/removes b\.txt[\s\S]*Undo this\?/)
    terminal.type('y\r')
    await terminal.says(/thr_\w+ goes on after turn 1/)
    await terminal.says(/> /)
    terminal.type('/exit\r')
    assert.is((await terminal.end).code, 0)
    assert.ok(existsSync(join(here.work, 'a.txt')))
    assert.not.ok(existsSync(join(here.work, 'b.txt')))
  })
}

test.run()
