import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '@svc/core/config'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime, type Persist } from '../src/index.ts'
import { chooseDataPlace } from '../src/stores/data-place.ts'
import { SqliteStore } from '../src/stores/index.ts'
import { folderOf } from './fixtures/folder-of.ts'
import { openMemory } from './fixtures/memories.ts'

const test = suite('where a runtime keeps its data')

const newFolder = (): string => folderOf({ '.git/': '' })

async function choose(cwd: string, persist: Persist, env: Record<string, string> = {}, flags = {}, trust = false) {
  const loaded = await loadConfig({ cwd, env: { HOME: '/home/somebody', ...env }, flags, userDir: '/nowhere', trust })
  return chooseDataPlace(persist, loaded, { HOME: '/home/somebody', ...env })
}

const projectOf = (folder: string) => ({ folder, userDir: '/home/somebody/.config/svc' })

test('unasked, a program writes no file', async () => {
  const plain = newFolder()
  assert.is(await choose(plain, undefined), undefined)
  writeFileSync(join(plain, 'svc.config.json'), '{}')
  assert.is(await choose(plain, undefined), undefined)
  assert.is(await choose(plain, false, { SVC_DATA_DIR: '/data' }), undefined)
})

test('a setting, a variable, or a data folder that is there already is asking', async () => {
  const plain = newFolder()
  assert.equal(await choose(plain, undefined, { SVC_DATA_DIR: '/data' }), { dir: '/data', space: plain })
  assert.equal(await choose(plain, undefined, {}, { store: { dir: 'here' } }), {
    dir: join(plain, 'here'),
    space: plain,
  })
  mkdirSync(join(plain, '.svc', 'data'), { recursive: true })
  assert.is(await choose(plain, undefined), undefined, 'a folder that nobody trusted does not ask')
  assert.equal(await choose(plain, undefined, {}, {}, true), {
    dir: join(plain, '.svc', 'data'),
    space: plain,
    project: projectOf(plain),
  })
})

test('who persists always does so in the project, else in the own data folder', async () => {
  const plain = newFolder()
  assert.equal(await choose(plain, true), { dir: '/home/somebody/.local/share/svc', space: plain })
  assert.equal(await choose(plain, true, { XDG_DATA_HOME: '/d' }), { dir: '/d/svc', space: plain })
  writeFileSync(join(plain, 'svc.config.json'), '{}')
  const below = join(plain, 'a', 'b')
  mkdirSync(below, { recursive: true })
  assert.equal(await choose(below, true, {}, {}, true), {
    dir: join(plain, '.svc', 'data'),
    space: plain,
    project: projectOf(plain),
  })
  assert.equal(await choose(below, true), { dir: '/home/somebody/.local/share/svc', space: plain })
  assert.equal(await choose(below, { dir: '/mine' }), { dir: '/mine', space: plain })
})

test('a place that the project itself chose, in the project, is one that may have come with it', async () => {
  const choosing = newFolder()
  writeFileSync(join(choosing, 'svc.config.json'), '{ "store": { "dir": "kept" } }')
  const dir = join(choosing, 'kept')
  assert.equal(await choose(choosing, true, {}, {}, true), { dir, space: choosing, project: projectOf(choosing) })
  assert.equal(await choose(choosing, true, {}, { store: { dir } }, true), { dir, space: choosing })
  writeFileSync(join(choosing, 'svc.config.json'), '{ "store": { "dir": "../elsewhere" } }')
  assert.equal(await choose(choosing, true, {}, {}, true), { dir: join(choosing, '..', 'elsewhere'), space: choosing })
})

test('runs in a file that a project names are refused where the file came with it', async () => {
  const cloned = newFolder()
  writeFileSync(join(cloned, 'svc.config.json'), '{ "store": { "url": "sqlite:runs.db" } }')
  const foreign = new SqliteStore({ file: join(cloned, 'runs.db') })
  foreign.open()
  await foreign.close()
  const env = { HOME: newFolder() }
  const loaded = await loadConfig({ cwd: cloned, env, userDir: '/nowhere', trust: true })
  const refused = await createRuntime(loaded, { env }).catch((error: { code?: string }) => error)
  assert.is(Reflect.get(refused, 'code'), 'store_unavailable')
  for (const name of ['runs.db', 'runs.db-wal', 'runs.db-shm']) rmSync(join(cloned, name), { force: true })
  for (let start = 0; start < 2; start++) await (await createRuntime(loaded, { env })).close()
})

test('a runtime finds what a person wrote to an earlier one of the same folder', async () => {
  const dir = join(newFolder(), 'data')
  const first = await createRuntime({}, { persist: { dir }, env: {} })
  const { id } = await first.memory.write({ content: 'The release train leaves on Thursdays' })
  await first.close()
  const second = await createRuntime({}, { persist: { dir }, env: {} })
  const { data } = await second.memory.query({ query: 'When does the release train leave?' })
  assert.equal(
    data.map((hit) => hit.id),
    [id],
  )
  await second.memory.delete(id)
  assert.equal((await second.memory.list()).data, [])
  await second.close()
  const third = await createRuntime({}, { env: {} })
  assert.equal((await third.memory.list()).data, [])
  await third.close()
})

test('memories are with the runs; those that an earlier svc left in the data folder are named, until there are others', async () => {
  const dir = newFolder()
  const project = newFolder()
  const old = openMemory(dir)
  await old.memory.write({ content: 'The office is closed on Fridays' })
  await old.close()
  const loaded = await loadConfig({
    cwd: project,
    env: { HOME: '/home/somebody' },
    flags: { store: { url: 'sqlite:own.db' } },
    userDir: '/nowhere',
    trust: true,
  })
  const codesIn = async (): Promise<string[]> => {
    const runtime = await createRuntime(loaded, { persist: { dir }, env: {} })
    const { id } = await runtime.runs.create({ task: 'Add 2 and 3' })
    const { result } = await runtime.runs.wait(id)
    await runtime.close()
    return (result as { warnings: { code: string }[] }).warnings.map(({ code }) => code)
  }
  assert.ok((await codesIn()).includes('memory_elsewhere'))
  assert.not.ok((await codesIn()).includes('memory_elsewhere'))
  const own = new SqliteStore({ file: join(project, 'own.db') })
  own.open()
  assert.ok((await own.records('memory', project).all()).data.length > 0)
  await own.close()
})

test('a runtime without memory keeps its runs, and the next one of the same folder finds them', async () => {
  const dir = join(newFolder(), 'data')
  const first = await createRuntime({ components: { memory: false } }, { persist: { dir }, env: {} })
  const { id } = await first.runs.create({ task: 'Add 2 and 3' })
  const { result } = await first.runs.wait(id)
  await first.close()
  const second = await createRuntime({}, { persist: { dir }, env: {} })
  assert.equal((await second.runs.get(id)).result, result)
  assert.is((await second.runs.list({ q: 'ADD 2' })).data[0]?.id, id)
  await second.runs.delete(id)
  await second.close()
})

test('a folder for data that is there does not ask for runs to be kept, a setting or a variable does', async () => {
  const project = newFolder()
  mkdirSync(join(project, '.svc', 'data'), { recursive: true })
  const runsIn = async (env: Record<string, string>, flags = {}) => {
    const loaded = await loadConfig({
      cwd: project,
      env: { HOME: '/home/somebody', ...env },
      flags,
      userDir: '/nowhere',
      trust: true,
    })
    const runtime = await createRuntime(loaded, { env })
    const { id } = await runtime.runs.create({ task: 'Add 2 and 3' })
    await runtime.runs.wait(id)
    await runtime.close()
    return id
  }
  const countIn = async (file: string): Promise<number> => {
    if (!existsSync(file)) return 0
    const store = new SqliteStore({ file })
    store.open()
    const { data } = await store.runs.list({ limit: 100 })
    await store.close()
    return data.length
  }
  await runsIn({})
  assert.is(await countIn(join(project, '.svc', 'data', 'svc.db')), 0)
  await runsIn({ SVC_DATA_DIR: join(project, 'a') })
  assert.is(await countIn(join(project, 'a', 'svc.db')), 1)
  await runsIn({}, { store: { dir: 'b', fsync: 'off' } })
  assert.is(await countIn(join(project, 'b', 'svc.db')), 1)
  await runsIn({}, { store: { url: 'sqlite:c/own.db' } })
  assert.is(await countIn(join(project, 'c', 'own.db')), 1)
  await runsIn({ SVC_DATA_DIR: join(project, 'a') }, { store: { url: `sqlite://${join(project, 'c')}` } })
  assert.is(await countIn(join(project, 'c', 'svc.db')), 1)
  try {
    await runsIn({}, { store: { url: 'sqlite:' } })
    assert.unreachable()
  } catch (thrown) {
    assert.is((thrown as { code?: string }).code, 'config_invalid')
  }
})

test.run()
