import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '@svc/core/config'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime, type Persist } from '../src/index.ts'
import { chooseDataPlace } from '../src/stores/data-place.ts'

const test = suite('where a runtime keeps its data')

const folders: string[] = []
function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-place-')))
  folders.push(folder)
  mkdirSync(join(folder, '.git'))
  return folder
}
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

async function choose(cwd: string, persist: Persist, env: Record<string, string> = {}, flags = {}) {
  const loaded = await loadConfig({ cwd, env: { HOME: '/home/somebody', ...env }, flags, userDir: '/nowhere' })
  return chooseDataPlace(persist, loaded, { HOME: '/home/somebody', ...env })
}

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
  assert.equal(await choose(plain, undefined), { dir: join(plain, '.svc', 'data'), space: plain, project: plain })
})

test('who persists always does so in the project, else in the own data folder', async () => {
  const plain = newFolder()
  assert.equal(await choose(plain, true), { dir: '/home/somebody/.local/share/svc', space: plain })
  assert.equal(await choose(plain, true, { XDG_DATA_HOME: '/d' }), { dir: '/d/svc', space: plain })
  writeFileSync(join(plain, 'svc.config.json'), '{}')
  const below = join(plain, 'a', 'b')
  mkdirSync(below, { recursive: true })
  assert.equal(await choose(below, true), { dir: join(plain, '.svc', 'data'), space: plain, project: plain })
  assert.equal(await choose(below, { dir: '/mine' }), { dir: '/mine', space: plain })
})

test('a folder that is not trusted neither gets a file nor gives one', async () => {
  const foreign = newFolder()
  mkdirSync(join(foreign, '.svc', 'data'), { recursive: true })
  mkdirSync(join(foreign, '.svc', 'plugins'))
  writeFileSync(join(foreign, '.svc', 'plugins', 'own.mjs'), 'export default 1')
  assert.is(await choose(foreign, undefined), undefined)
  assert.equal(await choose(foreign, true), { dir: '/home/somebody/.local/share/svc', space: foreign })
})

test('a runtime finds what a person wrote to an earlier one of the same folder', async () => {
  const dir = join(newFolder(), 'data')
  const first = await createRuntime({}, { persist: { dir }, env: {} })
  assert.not.ok(existsSync(dir), 'nothing is opened before it is needed')
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

test('a runtime without memory opens no file', async () => {
  const dir = join(newFolder(), 'data')
  const runtime = await createRuntime({ components: { memory: false } }, { persist: { dir }, env: {} })
  const { id } = await runtime.runs.create({ task: 'Add 2 and 3' })
  await runtime.runs.wait(id)
  await runtime.close()
  assert.not.ok(existsSync(dir))
})

test.run()
