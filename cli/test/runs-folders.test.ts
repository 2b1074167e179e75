/** Folders that share a data folder: each goes on with its own runs, and lists all. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { json } from './fixtures/notes.ts'
import { makeWorld, svc, type World } from './fixtures/world.ts'

const test = suite('runs of several folders')

/** A folder beside another, of the same person. */
function beside(world: World, name: string): World {
  const work = join(world.work, '..', name)
  mkdirSync(join(work, '.git'), { recursive: true })
  return { ...world, work }
}

test('what is unfinished in one folder is gone on with there, and only listed in another', async () => {
  const a = makeWorld({ 'notes.md': 'The crane is 40 years old.' })
  const b = beside(a, 'another-folder')
  const stopped = await svc(a, ['run', '--timeout', '1ms', 'How old is the crane?'])
  assert.is(stopped.code, 124, stopped.err)
  const [, id = ''] = /svc: (run_\w+)/.exec(stopped.err) ?? []

  const last = await svc(b, ['runs', 'resume', '--last'])
  assert.match(last.err, /there is no unfinished run here.*\[run_not_found\]/)
  const named = await svc(b, ['runs', 'resume', id])
  assert.is(named.code, 1, named.err)
  assert.ok(named.err.includes(`svc runs resume ${id} --cwd ${a.work}`), named.err)

  await svc(b, ['run', 'How old is the crane?'])
  const listed = await svc(b, ['runs', 'list'])
  const [head = '', own = '', other = ''] = listed.out.split('\n')
  assert.match(head, /folder/)
  assert.not.match(own, '/')
  assert.match(other, new RegExp(`^${id} .*${a.work.slice(-10)}`))
  assert.equal(
    json<{ data: { space: string }[] }>(await svc(b, ['runs', 'list', '--json'])).data.map(({ space }) => space),
    [b.work, a.work],
  )
  const resumed = await svc(a, ['runs', 'resume', '--last', '--json'])
  assert.match(resumed.err, `goes on from ${id}`)
  assert.is(json<{ status: string }>(resumed).status, 'completed')
})

test.run()
