/** What is remembered from one process to the next. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { each, svc } from './fixtures/svc.ts'
import { makeWorld, type World } from './fixtures/world.ts'

const test = suite('svc memory')

const FILES = { 'README.md': '# Demo\n\nIt has 42 widgets.\n' }
const TASK = 'Where are widgets mentioned?'

const dataOf = ({ home }: World): string => join(home, '.local', 'svc')
const bytesOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => (entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), 'latin1') : ''))
    .join('')
const json = (text: string) => JSON.parse(text)
const newestRun = async (world: World): Promise<string> => json((await svc(world, 'runs list --json')).out).data[0].id

test('what one process adds, another one finds, lists and forgets', async () => {
  const world = makeWorld(FILES)
  const added = await svc(world, [
    'memory',
    'add',
    'The release train leaves on Thursdays',
    '--tag',
    'release',
    '--json',
  ])
  assert.is(added.code, 0, added.err)
  const { id, trust, source, kind, tags } = json(added.out)
  assert.equal(
    { trust, source, kind, tags },
    { trust: 'trusted', source: { origin: 'user' }, kind: 'fact', tags: ['release'] },
  )

  const found = await svc(world, ['memory', 'search', 'When does the release train leave?', '--json'])
  assert.equal(
    json(found.out).data.map((hit: { id: string }) => hit.id),
    [id],
  )
  const piped = await svc(world, 'memory add - --kind decision', { input: 'We chose SQLite\nfor xyzzy.' })
  assert.match(piped.out, /^remembered as mem_/)
  const edited = await svc(world, ['memory', 'edit', id, 'The release train leaves on Fridays'])
  assert.is(edited.out, `changed ${id}: it is yours now, and trusted\n`)
  assert.match((await svc(world, ['memory', 'search', 'release train'])).out, 'Fridays')
  assert.match((await svc(world, ['memory', 'edit', 'mem_none', 'Nothing'])).err, 'there is no memory "mem_none"')
  const [listed, narrowed, removed, again] = await each(world, [
    'memory list',
    'memory list --kind decision --json',
    ['memory', 'rm', id],
    ['memory', 'search', 'release train Thursdays'],
  ])
  assert.match(listed.out, 'We chose SQLite for xyzzy.')
  assert.match(listed.out, id)
  assert.is(json(narrowed.out).data.length, 1)
  assert.is(removed.out, `forgot ${id}\n`)
  assert.is(again.out, '')
  assert.match(again.err, 'nothing that is remembered fits')
})

test('what is forgotten leaves no byte in the data folder', async () => {
  const world = makeWorld(FILES)
  const [added] = await each(world, [['memory', 'add', 'the password is hunter2-xyzzy', '--json']])
  assert.match(bytesOf(dataOf(world)), 'hunter2-xyzzy')
  const removed = await svc(world, ['memory', 'rm', json(added.out).id])
  assert.is(removed.code, 0, removed.err)
  assert.not.match(bytesOf(dataOf(world)), 'hunter2-xyzzy')
})

test('a trusted project of its own keeps its memory, out of version control', async () => {
  const world = makeWorld({ ...FILES, 'svc.config.json': {} })
  await each(world, ['trust', ['memory', 'add', 'only here']])
  assert.ok(existsSync(join(world.work, '.svc/data/svc.db')))
  assert.is(readFileSync(join(world.work, '.svc/data/.gitignore'), 'utf8'), '*\n')
  assert.not.ok(existsSync(join(dataOf(world), 'svc.db')))
})

test('the same run twice gives the same answer, with other runs before it', async () => {
  const world = makeWorld(FILES)
  const other = 'Say where widgets are mentioned, in one word'
  const outcomes = await each(world, [
    ['run', '--json', TASK],
    ['run', '--json', other],
    ['run', '--json', TASK],
    ['run', '--json', TASK],
    'memory list --kind summary --json',
  ])
  const [first, , third, fourth] = outcomes.slice(0, 4).map(({ out }) => json(out))
  for (const later of [third, fourth]) {
    assert.is(later.summary, first.summary)
    assert.equal(later.usage, first.usage)
    assert.equal(later.plan, { ...first.plan, id: later.plan.id })
    assert.equal(later.warnings, first.warnings)
  }
  assert.match(first.summary, '42 widgets')
  const asked = json(outcomes[4]?.out ?? '').data.filter(({ content }: { content: string }) =>
    content.startsWith(`Asked: ${TASK}\n`),
  )
  assert.equal(
    asked.map(({ outcome }: { outcome: object }) => outcome),
    [{ status: first.status, verdict: first.verdict }],
    'a repeated run is counted',
  )
  const shown = await svc(world, 'memory list')
  assert.match(shown.out, `summary (completed, ${first.verdict}`)
})

test('what was remembered by one run is there for the question about it', async () => {
  const world = makeWorld(FILES)
  const [added, asked] = await each(world, [
    ['run', '-q', '--yes', 'Remember that the staging server is called Zephyr'],
    ['run', '-q', 'What do you remember about the staging server?'],
  ])
  assert.is(added.code, 0, added.err)
  assert.match(asked.out, 'Zephyr')
})
test('what a run wrote goes with it, by rm and by prune, and what a person added stays', async () => {
  const world = makeWorld(FILES)
  for (const remove of [async () => ['runs', 'rm', await newestRun(world)], async () => 'runs prune --older-than 0s']) {
    await svc(world, ['run', '-q', TASK])
    await svc(world, ['memory', 'add', 'The widgets are blue'])
    const before = json((await svc(world, 'memory list --json')).out).data
    assert.equal(before.filter((one: { source: { runId?: string } }) => one.source.runId !== undefined).length, 1)
    const removed = await svc(world, await remove())
    assert.is(removed.code, 0, removed.err)
    for (const words of ['memory list --json', ['memory', 'search', 'widgets', '--json']]) {
      const { data } = json((await svc(world, words)).out)
      assert.ok(data.length > 0)
      for (const { content } of data) assert.is(content, 'The widgets are blue')
    }
  }
})

test.run()
