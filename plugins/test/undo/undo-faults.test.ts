import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Restoration, Tool } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../../.tools/launch.ts'
import { createWorkspaceFiles } from '../../src/tools/files/workspace-files.ts'
import { endedRun, errorOf, exportOf } from '../fixtures/runs.ts'
import { createWorkspace } from '../fixtures/tool-context.ts'
import { until } from '../fixtures/until.ts'
import { createUndoable, sh, treeOf, write } from './undoable.ts'

const test = suite('undo where something is in the way')

test('what is too large, or a secret, is named and nowhere kept; all else is undone', async () => {
  const secret = 'hunter2-hunter2-hunter2'
  const large = 'x'.repeat(10_000_001)
  const { runtime, run, workspace } = await createUndoable({
    files: { 'large.txt': large, 'config.txt': `password ${secret}\n`, 'server.pem': 'NAME=value\n', 'a.txt': 'one' },
    env: { MY_PASSWORD: secret },
  })
  const { id, outcomes } = await run([
    [write('large.txt', 'small'), write('config.txt', 'gone'), sh('echo NAME=other > server.pem; rm -f a.txt')],
  ])
  assert.equal(
    outcomes.map(({ code }) => code),
    ['ok', 'ok', 'ok'],
    JSON.stringify(outcomes),
  )
  const { done, left } = await runtime.runs.undo(id)
  assert.is(done, true)
  assert.equal(left, [
    { path: 'config.txt', why: 'it holds a secret, and was not kept' },
    { path: 'large.txt', why: 'it was too large to be kept: at most 10 MB are' },
    { path: 'server.pem', why: 'it holds a secret, and was not kept' },
  ])
  assert.is(readFileSync(join(workspace, 'a.txt'), 'utf8'), 'one')
  assert.is(readFileSync(join(workspace, 'large.txt'), 'utf8'), 'small')
  await runtime.close()
})

test('a tool that says nothing of what it changes is named', async () => {
  const silent: Tool = {
    id: 'silent',
    description: 'Changes a file without a word.',
    parameters: { type: 'object' },
    risk: 'write',
    run: async (_, { workspace }) => writeFileSync(join(workspace, 'silent.txt'), 'x'),
  }
  const { runtime, run, workspace } = await createUndoable({ tools: [silent] })
  const { id } = await run([
    [
      write('a.txt', 'x'),
      { tool: 'silent', args: {} },
      { tool: 'edit_file', args: { path: 'no', edits: [{ find: 'a', replace: 'b' }] } },
    ],
  ])
  const { left } = await runtime.runs.undo(id)
  assert.equal(left, [{ tool: 'silent', why: 'what it changed is not known' }])
  assert.equal(Object.keys(treeOf(workspace)), ['silent.txt'])
  await runtime.close()
})

test('a program that a cancelled run cut off is named, and what was done before it is undone', async () => {
  const { runtime, run, workspace } = await createUndoable({ files: { 'a.txt': 'one' } })
  const started = run([[write('a.txt', 'two'), sh('echo x > begun.txt; while :; do sleep 0.01; done')]])
  await until(() => existsSync(join(workspace, 'begun.txt')))
  const [{ id = '' } = {}] = (await runtime.runs.list()).data
  assert.is((await errorOf(runtime.runs.undo(id))).code, 'run_not_finished')
  await runtime.runs.cancel(id)
  await started
  const { left } = await runtime.runs.undo(id)
  assert.equal(left, [{ tool: 'shell', why: 'what it changed is not known' }])
  assert.equal(Object.keys(treeOf(workspace)), ['a.txt', 'begun.txt'])
  assert.is(readFileSync(join(workspace, 'a.txt'), 'utf8'), 'one')
  await runtime.close()
})

test('what a program may have changed where nobody looks is named', async () => {
  const { runtime, run } = await createUndoable({
    files: { '.gitignore': 'ignored\n', 'ignored/x': '1', 'node_modules/y': '2' },
  })
  const { id } = await run([[sh('echo 2 > ignored/x')]])
  const { left } = await runtime.runs.undo(id)
  assert.is(left.length, 1)
  assert.match(left[0]?.why ?? '', /^what it changed in (?=.*ignored)(?=.*node_modules).* is not known$/)
  await runtime.close()
})

test('a file that cannot be written to is put back, with its mode', async () => {
  const { runtime, run, workspace } = await createUndoable({ files: { 'a.txt': 'one', 'run.sh': '#!/bin/sh\n' } })
  chmodSync(join(workspace, 'a.txt'), 0o444)
  chmodSync(join(workspace, 'run.sh'), 0o755)
  const before = treeOf(workspace)
  const { id } = await run([[write('a.txt', 'two'), sh('chmod 600 a.txt; rm run.sh')]])
  await runtime.runs.undo(id)
  assert.equal(treeOf(workspace), before)
  await runtime.close()
})

test('nothing is put back through a link that took the place of a folder', async () => {
  const { runtime, run, workspace } = await createUndoable({ files: { 'sub/a.txt': 'one' } })
  const { id } = await run([[write('sub/a.txt', 'two')]])
  const outside = join(workspace, '..', 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'a.txt'), 'two')
  chmodSync(join(outside, 'a.txt'), 0o644)
  renameSync(join(workspace, 'sub'), join(workspace, 'moved'))
  symlinkSync(outside, join(workspace, 'sub'))
  assert.is((await errorOf(runtime.runs.undo(id))).code, 'files_changed')
  assert.is(readFileSync(join(outside, 'a.txt'), 'utf8'), 'two')
  await runtime.close()
})

test('a folder that somebody put something into stays, and is named', async () => {
  const { runtime, run, workspace } = await createUndoable()
  const { id } = await run([[write('new/a.txt', 'x')]])
  writeFileSync(join(workspace, 'new', 'mine.txt'), 'mine')
  const { left } = await runtime.runs.undo(id)
  assert.equal(left, [{ path: 'new', why: 'this folder holds something else now' }])
  assert.equal(Object.keys(treeOf(workspace)), ['new', 'new/mine.txt'])
  await runtime.close()
})

test('a file that changes between the look and the deed stops all of it, and leaves nothing beside', async () => {
  const { workspace } = await createWorkspace({ 'a.txt': 'one', 'b.txt': 'two' })
  const { look, restore } = createWorkspaceFiles(workspace)
  const states = await look(['a.txt', 'b.txt', 'c.txt'])
  const content = Buffer.from('back')
  const all = ['a.txt', 'b.txt', 'c.txt'].map(
    (path, index): Restoration => ({
      path,
      now: states[index],
      to: { kind: 'file', mode: 0o644, content },
    }),
  )
  for (const change of [
    () => writeFileSync(join(workspace, 'b.txt'), 'mine'),
    () => writeFileSync(join(workspace, 'c.txt'), 'mine'),
  ]) {
    change()
    const before = treeOf(workspace)
    assert.is((await errorOf(restore(all, 'mark'))).code, 'files_changed')
    assert.equal(treeOf(workspace), before)
    rmSync(join(workspace, 'c.txt'), { force: true })
    writeFileSync(join(workspace, 'b.txt'), 'two')
  }
  await restore(all, 'mark')
  assert.equal(Object.keys(treeOf(workspace)), ['a.txt', 'b.txt', 'c.txt'])
})

test('a run that goes on, one that came in a file, and a fork of one: each by itself', async () => {
  const { runtime, run, workspace } = await createUndoable({ files: { 'a.txt': 'one' } })
  const { id } = await run([[write('a.txt', 'SECOND-TEXT')], [write('a.txt', 'three')]])
  const file = await exportOf(runtime, id)
  assert.not.match(
    readFileSync(file, 'utf8'),
    Buffer.from('one').toString('base64'),
    'what was there before is in no file',
  )
  const forked = await runtime.runs.fork(id, { atSeq: 3 })
  await runtime.runs.wait(forked.id)
  assert.equal((await runtime.runs.undo(forked.id)).files, [])
  const other = await createUndoable({ workspace })
  await other.runtime.runs.import(
    (async function* () {
      yield readFileSync(file)
    })(),
  )
  assert.is((await errorOf(other.runtime.runs.undo(id))).code, 'invalid_transition')
  assert.is((await errorOf(runtime.runs.undo(id, { also: ['run_01JZ4K0M6T8N2QW3E5R7Y9V1XA'] }))).code, 'run_not_found')
  assert.is((await errorOf(runtime.runs.undo(id, { to: 'step-9' }))).code, 'validation_failed')
  const wrong = { also: 'x' } as unknown as { also: string[] }
  assert.match((await errorOf(runtime.runs.undo(id, wrong))).message, '/also')
  await Promise.all([runtime.close(), other.runtime.close()])
})

test('several runs are undone together, and what somebody did between them is in the way', async () => {
  const { runtime, run, workspace } = await createUndoable({ files: { 'a.txt': 'one', 'b.txt': 'one' } })
  const before = treeOf(workspace)
  const first = await run([[write('a.txt', 'two')]])
  const second = await run([[write('a.txt', 'three'), write('c.txt', 'new')]])
  assert.match((await errorOf(runtime.runs.undo(first.id))).message, '"a.txt": it was changed since')
  const { runIds } = await runtime.runs.undo(first.id, { also: [second.id] })
  assert.equal(runIds, [first.id, second.id])
  assert.equal(treeOf(workspace), before)
  assert.is((await errorOf(runtime.runs.undo(second.id, { also: [first.id] }))).code, 'validation_failed')
  const third = await run([[write('b.txt', 'two')]])
  writeFileSync(join(workspace, 'b.txt'), 'mine')
  const fourth = await run([[write('b.txt', 'three')]])
  const error = await errorOf(runtime.runs.undo(third.id, { also: [fourth.id] }))
  assert.match(error.message, '"b.txt": somebody else changed it while the run went on')
  await runtime.close()
})

test('an undo that is killed in the middle is done to its end by the next one', async () => {
  const paths = Array.from({ length: 100 }, (_, index) => `sub/${index}.txt`)
  const { workspace, top } = await createWorkspace(Object.fromEntries(paths.map((path) => [path, `before ${path}`])))
  const dir = join(top, 'data')
  const { runtime, run } = await createUndoable({ workspace, persist: { dir } })
  const before = treeOf(workspace)
  const { id } = await run([[sh('for f in sub/*; do echo after > $f; done; mkdir made; echo x > made/y')]])
  await runtime.close()
  const isBack = (path: string): boolean => readFileSync(join(workspace, path), 'utf8') !== 'after\n'
  const child = spawn(process.execPath, [
    ...argumentsFor(new URL('undo-child.ts', import.meta.url)),
    dir,
    workspace,
    id,
  ])
  const ended = new Promise((resolve) => child.once('close', resolve))
  let isOver = false
  ended.then(() => (isOver = true))
  await until(() => isOver || paths.some(isBack))
  child.kill('SIGKILL')
  await ended
  const again = await createUndoable({ workspace, persist: { dir } })
  await again.runtime.runs.undo(id)
  assert.equal(treeOf(workspace), before)
  await again.runtime.close()
})

test('with the run goes what was kept for undo', async () => {
  const { top, workspace } = await createWorkspace({ 'a.txt': 'KEPT-FOR-UNDO' })
  const dir = join(top, 'data')
  const { runtime, run } = await createUndoable({ workspace, persist: { dir } })
  const { id } = await run([[write('a.txt', 'other')]])
  const other = await endedRun(runtime, { task: 'nothing', reflect: false, consensus: false })
  assert.is((await runtime.runs.undo(other)).done, false)
  await runtime.runs.delete(id)
  assert.is((await errorOf(runtime.runs.undo(id))).code, 'run_not_found')
  await runtime.close()
  for (const name of ['svc.db', 'svc.db-wal'])
    if (existsSync(join(dir, name))) assert.not.match(readFileSync(join(dir, name), 'latin1'), 'KEPT-FOR-UNDO', name)
})

test.run()
