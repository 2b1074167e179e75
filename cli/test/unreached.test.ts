/** What a person sees of a model server that is not there. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startFakeServer } from '../../plugins/test/fixtures/fake-server.ts'
import { each, makeWorld } from './fixtures/world.ts'

const test = suite('a model server that is not reached')

/** An address at which nothing listens any more. */
async function goneAddress(): Promise<string> {
  const server = await startFakeServer()
  await server.close()
  return server.url
}

test('the address and the reason are said, not that a model lacks its name', async () => {
  const world = makeWorld()
  const url = await goneAddress()
  const [run, doctor, models] = await each(world, [['run', 'hi'], ['doctor', '--json'], ['models']], {
    SVC_MODEL_BASE_URL: `${url}/v1`,
    SVC_MODEL_API_KEY: 'k',
  })
  assert.is(run.code, 5)
  assert.is(run.err, `svc: custom: ${url} was not reached (ECONNREFUSED) [provider_unavailable]\n`)
  const { message, fix } = JSON.parse(doctor.out).find(({ name }: { name: string }) => name === 'model')
  assert.is(message, `none: custom: ${url} was not reached (ECONNREFUSED)`)
  assert.match(fix, /^start the model server, or correct its address/)
  assert.match(models.err, /no default model: custom: .* was not reached/)
})

test('one cause is said once while the run goes on and once at its end, without advice that cannot help', async () => {
  const world = makeWorld()
  const url = await goneAddress()
  const [run] = await each(world, [['run', '--model', 'custom/x', 'hi']], {
    SVC_MODEL_BASE_URL: `${url}/v1`,
    SVC_MODEL_API_KEY: 'k',
  })
  assert.is(run.code, 5)
  assert.is(run.out, '')
  assert.is(run.err.split('was not reached (ECONNREFUSED)').length, 3, run.err)
  assert.match(run.err, new RegExp(`svc: failed: custom/x: ${url} was not reached`))
  assert.not.match(run.err, /replan_advised|inspector|larger budget/)
})

test('a key without an address is not passed over in silence', async () => {
  const world = makeWorld({ 'a.txt': 'words' })
  const [run, doctor] = await each(
    world,
    [
      ['run', 'hi'],
      ['doctor', '--json'],
    ],
    {
      SVC_MODEL_API_KEY: 'k',
    },
  )
  assert.match(run.err, /SVC_MODEL_API_KEY is set without SVC_MODEL_BASE_URL/)
  const { result, message } = JSON.parse(doctor.out).find(({ name }: { name: string }) => name === 'keys')
  assert.is(result, 'warn')
  assert.match(message, /SVC_MODEL_API_KEY is set without SVC_MODEL_BASE_URL/)
})

test.run()
