/** Removing runs that ended long ago. */
import type { Run } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { json, runsOf } from './fixtures/notes.ts'
import { each, svc } from './fixtures/svc.ts'
import { addFiles, makeWorld, type World } from './fixtures/world.ts'

const test = suite('svc runs prune')

/** Three runs of a folder, and one of another that shares the data folder. */
async function worldWithRuns(): Promise<{ here: World; other: World }> {
  const here = makeWorld()
  const other = { ...here, work: makeWorld().work }
  await each(here, [
    ['run', '-q', 'What is in this folder?'],
    ['run', '-q', 'What is new in this folder?'],
    ['analyze', 'How old is this folder?'],
  ])
  await svc(other, ['analyze', 'How old is that folder?'])
  return { here, other }
}

const idsOf = (runs: readonly Run[]): string[] => runs.map(({ id }) => id)

test('says how much would go, removes it, and leaves what is younger, of another status or of another folder', async () => {
  const { here, other } = await worldWithRuns()
  const before = await runsOf(here)
  const [young, dry, ended] = await each(here, [
    'runs prune --older-than 12h',
    'runs prune --older-than 0s --dry-run --json',
    'runs prune --older-than 0s --status completed --json',
  ])
  assert.equal([young.code, young.out], [0, 'removed 0 runs, 0 bytes\n'])
  const said = json<{ runs: number; bytes: number; dryRun: boolean }>(dry)
  assert.equal([said.runs, said.dryRun], [3, true])
  const completed = before.filter(({ status }) => status === 'completed')
  assert.is(json<{ runs: number }>(ended).runs, completed.length)
  assert.equal(idsOf(await runsOf(here)), idsOf(before.filter((run) => !completed.includes(run))))
  const rest = json<{ runs: number; bytes: number }>(await svc(here, 'runs prune --older-than 0ms --json'))
  assert.is(rest.runs, 3 - completed.length)
  assert.is(rest.bytes + json<{ bytes: number }>(ended).bytes, said.bytes)
  assert.equal(await runsOf(here), [])
  assert.is((await runsOf(other)).length, 1)
  const all = await svc(here, 'runs prune --older-than 0s --all')
  assert.match(all.out, /^removed 1 run, \d+(\.\d)? (bytes|kB)\n$/)
  assert.equal(await runsOf(other), [])
})

test('what is no age, or no status that a run ends with, is refused by name', async () => {
  const here = makeWorld()
  for (const [words, message] of [
    ['', '--older-than is missing: a time such as 30d'],
    ['--older-than 30', '--older-than must be a time such as 30d, 12h or 90m, not "30"'],
    ['--older-than -1d', '--older-than'],
    ['--older-than 3w', '--older-than must be a time such as 30d, 12h or 90m, not "3w"'],
    [
      '--older-than 1d --status running',
      '--status must be one of completed, incomplete, failed, cancelled, not "running"',
    ],
    ['--older-than 1d --url http://127.0.0.1:9', 'use it on the machine of the server'],
  ] as const) {
    const refused = await svc(here, `runs prune ${words}`.trim())
    assert.is(refused.code, 2, words)
    assert.ok(refused.err.includes(message), refused.err)
    assert.match(refused.err, /\[validation_failed\]/)
  }
  addFiles(here.work, { 'svc.config.json': { store: { url: 'memory:' } } })
  assert.is((await svc(here, 'runs prune --older-than 1d --trust')).code, 3)
})

test.run()
