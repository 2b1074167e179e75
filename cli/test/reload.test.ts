/** SIGHUP: the config and the keys are read again, and nothing at work notices. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../server/test/fixtures/until.ts'
import { dropIn } from './fixtures/model-server.ts'
import { callsOf, hanging, notesWorld, startNotesServer } from './fixtures/notes.ts'
import { svc } from './fixtures/svc.ts'
import { addFiles, begin, type Running, type World } from './fixtures/world.ts'

const test = suite('SIGHUP')

const server = await startNotesServer()

const configOf = (here: World): string => join(here.home, '.config/svc/svc.config.json')
const bodyOf = (word: string): string => JSON.stringify({ task: `How old is the crane? ${word}`, topology: 'SINGLE' })
const modelOf = (word: string): string | undefined =>
  server.asked.find((asked) => JSON.stringify(asked.messages).includes(word))?.model

/** Sends SIGHUP and waits for the next line that says what came of it. */
async function hangUp({ child, says }: Running, count: number): Promise<string> {
  child.kill('SIGHUP')
  const [said] = await says(
    new RegExp(`(?:(?:the config was read again|the config stays as it was)[^\\n]*[\\s\\S]*?){${count}}$`),
  )
  return said.trimEnd().split('\n').at(-1) ?? ''
}

test('a run at work and its reader go on, new runs use the new config, a broken one changes nothing', async () => {
  const here = notesWorld(server, { 'svc.config.json': { model: 'mine/small' } })
  const running = begin(here, 'serve --port 0 -q')
  const [, url = ''] = await running.says(/svc: listening on (http:[^;]+);/)
  const make = async (word: string, wait = ''): Promise<{ id: string; status: string }> => {
    const headers = { 'content-type': 'application/json' }
    const made = await fetch(`${url}/v1/runs${wait}`, { method: 'POST', headers, body: bodyOf(word) })
    return (await made.json()) as { id: string; status: string }
  }
  hanging.add('WORD-old')
  const { id } = await make('WORD-old')
  await until(() => callsOf(server, 'WORD-old')[1] > 0)
  const stream = await fetch(`${url}/v1/runs/${id}/events`, { headers: { accept: 'text/event-stream' } })
  const text = stream.text()

  addFiles(join(here.home, '.config/svc'), {
    'svc.config.json': {
      model: 'mine/large',
      server: { port: 1, limits: { taskChars: 60 } },
      store: { retainDays: 3 },
    },
    'providers/mine.json': { ...dropIn(server), models: { small: {}, large: {} } },
  })
  assert.match(await hangUp(running, 1), /read again.* need a restart: \/store$/)
  assert.is((await make('WORD-new', '?wait=60000')).status, 'completed')
  assert.is(modelOf('WORD-new'), 'large')
  assert.is((await make('x'.repeat(60))).status as unknown, 400)

  writeFileSync(configOf(here), '{"tokenBudget": "many"}')
  const refused = await hangUp(running, 2)
  assert.match(refused, /stays as it was: .*svc\.config\.json.*tokenBudget.*\[config_invalid\]$/)
  writeFileSync(configOf(here), '{')
  assert.match(await hangUp(running, 3), /stays as it was: .*svc\.config\.json.*\[config_invalid\]$/)
  addFiles(join(here.home, '.config/svc'), { 'svc.config.json': {}, 'providers/other.json': '{"type":' })
  assert.match(await hangUp(running, 4), /stays as it was: .*other\.json/)
  assert.is((await make('WORD-still', '?wait=60000')).status, 'completed')
  assert.is(modelOf('WORD-still'), 'large')

  const cancelled = await fetch(`${url}/v1/runs/${id}/cancel`, { method: 'POST' })
  assert.is(cancelled.status, 202)
  const events = await text
  assert.match(events, /event: run\.cancelled[\s\S]*event: end/)
  const ids = [...events.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number))
  assert.equal(
    ids,
    ids.map((_, index) => index + 1),
  )
  running.child.kill('SIGTERM')
  assert.is((await running.outcome).code, 143)
})

test('keys of a file are replaced; a file without keys leaves the old ones; both variables are refused', async () => {
  const here = notesWorld(server)
  const file = join(here.home, 'keys')
  writeFileSync(file, 'one\ntwo\n')
  const running = begin(here, 'serve --host 0.0.0.0 --port 0 -q', {
    env: { SERVICE_API_KEY_FILE: file },
  })
  const [, port = ''] = await running.says(/listening on http:\/\/0\.0\.0\.0:(\d+)/)
  const statusWith = async (key: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}/v1/runs`, { headers: { authorization: `Bearer ${key}` } })).status
  assert.equal([await statusWith('one'), await statusWith('two'), await statusWith('three')], [200, 200, 401])
  writeFileSync(file, 'two\nthree\n')
  await hangUp(running, 1)
  assert.equal([await statusWith('one'), await statusWith('two'), await statusWith('three')], [401, 200, 200])
  writeFileSync(file, '\n')
  await hangUp(running, 2)
  rmSync(file)
  await hangUp(running, 3)
  assert.equal([await statusWith('one'), await statusWith('two')], [401, 200])
  running.child.kill('SIGTERM')
  const { err } = await running.outcome
  assert.match(err, /the keys stay as they were: SERVICE_API_KEY_FILE: \S+ holds no key/)
  assert.match(err, /the keys stay as they were: SERVICE_API_KEY_FILE: \S+ cannot be read \(ENOENT\)/)
  const both = await svc(here, 'serve --port 0', { env: { SERVICE_API_KEY_FILE: file, SERVICE_API_KEY: 'x' } })
  assert.is(both.code, 3)
  assert.match(both.err, /both set/)
})

test('a project that changed since it was trusted is not read again until it is trusted again', async () => {
  const here = notesWorld(server)
  addFiles(here.work, { '.svc/providers/ours.json': dropIn(server) })
  assert.is((await svc(here, 'trust')).code, 0)
  const running = begin(here, 'worker')
  await running.says(/waiting for runs/)
  addFiles(here.work, { '.svc/providers/ours.json': { ...dropIn(server), defaultModel: 'large' } })
  assert.match(await hangUp(running, 1), /stays as it was: .*svc trust.*\[config_untrusted\]$/)
  assert.is((await svc(here, 'trust')).code, 0)
  assert.match(await hangUp(running, 2), /read again/)
  running.child.kill('SIGTERM')
  assert.is((await running.outcome).code, 143)
})

test.run()
