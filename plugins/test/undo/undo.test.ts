import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { errorOf } from '../fixtures/runs.ts'
import { createUndoable, edit, sh, treeOf, write } from './undoable.ts'

const test = suite('undo of what a run did to files')

test('files that a run wrote, edited and created are as they were, with the folders around them', async () => {
  const { runtime, run, workspace } = await createUndoable({
    files: { 'a.txt': 'one\n', 'sub/b.txt': 'two\r\nthree\r\n' },
  })
  chmodSync(join(workspace, 'a.txt'), 0o640)
  const before = treeOf(workspace)
  const { id, outcomes } = await run([
    [write('a.txt', 'changed\n'), write('new/deep/c.txt', 'new\n')],
    [edit('sub/b.txt', 'two', '2'), write('a.txt', 'changed again\n')],
  ])
  assert.equal(
    outcomes.map(({ code }) => code),
    ['ok', 'ok', 'ok', 'ok'],
  )
  const after = treeOf(workspace)
  const shown = await runtime.runs.undo(id, { dryRun: true })
  assert.is(shown.done, false)
  assert.equal(treeOf(workspace), after)
  assert.equal(
    shown.files.map(({ action, kind, path }) => `${action} ${kind} ${path}`),
    [
      'write file a.txt',
      'remove folder new',
      'remove folder new/deep',
      'remove file new/deep/c.txt',
      'write file sub/b.txt',
    ],
  )
  assert.match(shown.files[0]?.diff ?? '', '-changed again\n+one')
  const undone = await runtime.runs.undo(id)
  assert.is(undone.done, true)
  assert.equal(undone.left, [])
  assert.equal(treeOf(workspace), before)
  assert.is((await runtime.runs.undo(id)).done, false)
  const again = await runtime.runs.undo(id, { to: 'step-2' })
  assert.is(again.done, true)
  assert.equal(treeOf(workspace), after)
  await runtime.runs.undo(id, { to: 'step-1' })
  assert.is(readFileSync(join(workspace, 'a.txt'), 'utf8'), 'changed\n')
  assert.is(readFileSync(join(workspace, 'sub/b.txt'), 'utf8'), 'two\r\nthree\r\n')
  await runtime.close()
})

test('what programs removed, moved, changed and made is as it was', async () => {
  const { runtime, run, workspace } = await createUndoable({
    files: { 'a.txt': 'one\n', 'sub/b.txt': 'two\n', 'sub/c.bin': new Uint8Array([0, 255, 10, 13]), 'e/': '' },
  })
  const before = treeOf(workspace)
  const { id, outcomes } = await run([
    [sh('rm -r sub e; mv a.txt d.txt; ln -s d.txt l; mkdir -p x/y; chmod 700 x; echo hi > x/y/z')],
    [sh('echo more >> d.txt; rm l')],
  ])
  assert.equal(
    outcomes.map(({ code }) => code),
    ['ok', 'ok'],
    JSON.stringify(outcomes),
  )
  const undone = await runtime.runs.undo(id)
  assert.equal(undone.left, [])
  assert.equal(treeOf(workspace), before)
  await runtime.close()
})

test('a file that somebody changed since stops it, and nothing is done', async () => {
  const { runtime, run, workspace } = await createUndoable({ files: { 'a.txt': 'one\n', 'b.txt': 'two\n' } })
  const { id } = await run([[write('a.txt', 'x'), write('b.txt', 'y'), write('c.txt', 'z')]])
  writeFileSync(join(workspace, 'b.txt'), 'mine')
  const after = treeOf(workspace)
  const { conflicts } = await runtime.runs.undo(id, { dryRun: true })
  assert.equal(conflicts, [{ path: 'b.txt', why: 'it was changed since' }])
  const error = await errorOf(runtime.runs.undo(id))
  assert.is(error.code, 'files_changed')
  assert.match(error.message, '"b.txt": it was changed since')
  assert.equal(treeOf(workspace), after)
  rmSync(join(workspace, 'b.txt'))
  assert.match((await errorOf(runtime.runs.undo(id))).message, '"b.txt": it was removed since')
  await runtime.close()
})

test('what tools write beside a program is theirs, and undone once', async () => {
  const { runtime, run, workspace } = await createUndoable({ files: { 'a.txt': 'one\n' }, areTogether: true })
  const before = treeOf(workspace)
  const wait = 'while [ ! -e go.txt ]; do sleep 0.01; done'
  const { id, outcomes } = await run([
    [sh(`${wait}; echo p > p.txt`), sh(`${wait}; echo q > q.txt`), edit('a.txt', 'one', 'two'), write('go.txt', 'go')],
  ])
  assert.equal(outcomes.map(({ code }) => code).join(), 'ok,ok,ok,ok', JSON.stringify(outcomes))
  const { left } = await runtime.runs.undo(id)
  assert.equal(left, [])
  assert.equal(treeOf(workspace), before)
  await runtime.close()
})

test.run()
