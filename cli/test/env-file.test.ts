/** The `.env` of a folder: what of it counts, and when. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startModelServer } from './fixtures/model-server.ts'
import { each, svc } from './fixtures/svc.ts'
import { begin, makeWorld, type World } from './fixtures/world.ts'

const test = suite('.env')

const server = await startModelServer(() => 'From the model.')

const envOf = (): string =>
  `# mine\nSVC_MODEL_BASE_URL=${server.url}\nSVC_MODEL_API_KEY="from-the-file"\nSVC_MODEL=small\nDATABASE_PASSWORD=other\nSVC_TRUST=1\n`
const makeOwn = (text = envOf()): World => makeWorld({ '.env': text, 'README.md': '# Demo\n' })
const RUN = ['run', '--topology', 'SINGLE', 'What is this?']
const keyOf = (): string | undefined => server.headers.at(-1)?.authorization

test('an untrusted one sets nothing, and is named with what it would set', async () => {
  const world = makeOwn()
  const before = server.asked.length
  const [run, list] = await each(world, [RUN, 'trust --list'])
  assert.is(server.asked.length, before)
  assert.match(
    run.err,
    /3 settings of \.env \(SVC_MODEL, SVC_MODEL_API_KEY, SVC_MODEL_BASE_URL\) were left out.*svc trust/s,
  )
  assert.not.match(run.err + list.out, /from-the-file|DATABASE_PASSWORD/)
  assert.match(list.out, /\.env/)
})

test('a trusted one counts, below what is set; a change of it asks again', async () => {
  const world = makeOwn()
  const [, run, doctor] = await each(world, ['trust', RUN, 'doctor'])
  assert.is(run.out, 'From the model.\n', run.err)
  assert.is(keyOf(), 'Bearer from-the-file')
  assert.match(doctor.out, /SVC_MODEL_API_KEY set/)
  await svc(world, RUN, { env: { SVC_MODEL_API_KEY: 'from-the-shell' } })
  assert.is(keyOf(), 'Bearer from-the-shell')
  assert.not.ok(existsSync(join(world.work, '.svc')), 'no project is made of it')
  writeFileSync(join(world.work, '.env'), `${envOf()}OPENAI_API_KEY=more\n`)
  const before = server.asked.length
  const changed = await svc(world, RUN)
  assert.is(server.asked.length, before)
  assert.match(changed.err, /files changed since this folder was trusted \(\.env\)/)
})

test('one that sets nothing of svc needs no trust', async () => {
  const { err } = await svc(makeOwn('DATABASE_PASSWORD=other\nPORT=80\n'), RUN)
  assert.not.match(err, /trust/)
})

test('the key of a server comes from a trusted one, never from another', async () => {
  const serve = async (...flags: string[]): Promise<number> => {
    const world = makeOwn('SERVICE_API_KEY=a-key-that-is-long-enough-for-a-server\n')
    const running = begin(world, ['serve', '--port', '0', ...flags])
    const [, url] = await running.says(/listening on (http:\S+);/)
    const { status } = await fetch(`${url}/v1/runs`)
    running.child.kill('SIGTERM')
    await running.outcome
    return status
  }
  assert.equal(await Promise.all([serve(), serve('--trust')]), [200, 401])
})

test.run()
