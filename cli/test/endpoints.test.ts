/** What a person sees of a model server that departs from its format, or refuses. */

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ENDPOINTS, playEndpoint } from '../../plugins/test/fixtures/endpoints.ts'
import { sendJson, startFakeServer } from '../../plugins/test/fixtures/fake-server.ts'
import { each } from './fixtures/svc.ts'
import { begin, makeWorld } from './fixtures/world.ts'

const test = suite('endpoints at the command line')

const server = await startFakeServer()
const house = { type: 'openai', baseUrl: `${server.url}/v1`, defaultModel: 'm', models: { m: { maxOutput: 3000 } } }
const world = makeWorld({}, { 'svc.config.json': { providers: { house }, model: 'house/m' } })
test.after(() => server.close())

function play(...names: string[]): void {
  const refusals = ENDPOINTS.filter(({ name }) => names.includes(name)).map(({ refuse }) => refuse)
  assert.is(refusals.length, names.length)
  server.answer(
    playEndpoint({
      name: '',
      refuse: (body) => refusals.map((refuse) => refuse?.(body)).find((said) => said !== undefined),
    }),
  )
}

// What a provider has learnt holds for its process, so each of these has one of its own.
test('svc doctor --online and svc models --check name the config that a server wants', async () => {
  play('the model demands max_completion_tokens', 'no stream_options', 'no tools', 'no system role')
  const wanted = [
    'quirks.maxTokensField: "max_completion_tokens"',
    'quirks.noStreamUsage: true',
    'quirks.textToolCalls: true',
    'quirks.systemRole: "user"',
  ]
  const doctor = await begin(world, 'doctor --online --json').outcome
  assert.is(doctor.code, 0, doctor.err)
  const checks = JSON.parse(doctor.out) as { name: string; result: string; message: string; fix?: string }[]
  const check = checks.find(({ name }) => name === 'provider house')
  assert.equal([check?.result, check?.message], ['ok', 'answered, asked in its own way'])
  for (const line of wanted) assert.ok(check?.fix?.includes(line), `${line} is not in ${check?.fix}`)

  const models = await begin(world, 'models --check --model house/m').outcome
  assert.is(models.code, 0, models.err)
  for (const line of wanted)
    assert.ok(models.out.replace(/\s+/g, ' ').includes(line), `${line} is not in ${models.out}`)
  const { out } = await begin(world, 'models --check --model house/m --json').outcome
  const { card } = JSON.parse(out).checks['house/m']
  assert.equal(Object.keys(card), ['streams', 'countsTokens', 'callsTools', 'answersJson'])
  assert.equal([card.streams, card.callsTools], [true, false])
})

test('svc models shows windows, longest answers and prices, and says of when they are', async () => {
  const [models] = await each(makeWorld(), ['models'], { OPENAI_API_KEY: 'sk-not-used' })
  assert.match(models.out, /\* +openai\/gpt-5\.6-sol +1050000 tokens +128000 tokens +\$\d+ in, \$\d+ out per million/)
  assert.match(models.out, /Windows and prices that no config gives are those of \d{4}-\d\d-\d\d\./)
})

test('a model or key that the provider refuses ends with exit code 5 and what the server said', async () => {
  for (const [status, message, said] of [
    [404, "The model 'm' does not exist", /404 The model 'm' does not exist.*\[model_not_found\]/],
    [
      401,
      'Incorrect API key provided',
      /401 Incorrect API key provided; name its key with apiKeyEnv.*\[provider_auth\]/,
    ],
    [
      403,
      'Country, region, or territory not supported',
      /403 Country, region, or territory not supported \[provider_auth\]/,
    ],
  ] as const) {
    server.answer((response) => sendJson(response, { error: { message } }, status))
    const [outcome] = await each(world, [['run', 'Compare Oslo, Lima and Cairo by the price of a night']])
    assert.is(outcome.code, 5, outcome.err)
    assert.match(outcome.err, said)
    assert.not.match(outcome.err, /larger budget|plan_failed/)
  }
})

/** An address at which nothing listens any more. */
async function goneAddress(): Promise<string> {
  const server = await startFakeServer()
  await server.close()
  return server.url
}

test('the address and the reason are said, not that a model lacks its name', async () => {
  const world = makeWorld()
  const url = await goneAddress()
  const [run, doctor, models] = await each(world, ['run hi', 'doctor --json', 'models'], {
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
  const [run] = await each(world, ['run --model custom/x hi'], {
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
  const [run, doctor] = await each(world, ['run hi', 'doctor --json'], {
    SVC_MODEL_API_KEY: 'k',
  })
  assert.match(run.err, /SVC_MODEL_API_KEY is set without SVC_MODEL_BASE_URL/)
  const { result, message } = JSON.parse(doctor.out).find(({ name }: { name: string }) => name === 'keys')
  assert.is(result, 'warn')
  assert.match(message, /SVC_MODEL_API_KEY is set without SVC_MODEL_BASE_URL/)
})

test.run()
