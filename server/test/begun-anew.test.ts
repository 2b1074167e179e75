/** What is begun over HTTP in more than one way: a fork without a place, options of `/execute` in either place. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type OpenServer, openServer } from './fixtures/open-server.ts'

const test = suite('begun anew over HTTP')

let world: OpenServer
test.before(async () => {
  world = await openServer()
})
test.after(() => world.close())

test('a fork without a place begins before what it changes, and one that changes nothing is refused by name', async () => {
  const { json: run } = await world.ask('POST', '/v1/runs?wait=60000', { body: { task: 'What is 6 times 7?' } })
  const fork = (body: object) => world.ask('POST', `/v1/runs/${run.id}/fork`, { body })
  for (const body of [{}, { edits: {} }, { edits: { task: 'What is 6 times 7?', topology: 'auto' } }]) {
    const { status, json } = await fork(body)
    assert.equal([status, json.code], [400, 'validation_failed'], JSON.stringify(json))
    assert.match(JSON.stringify(json.errors), /"path":"\/edits","message":"change nothing: .*task.*budget.*atSeq/)
  }
  const made = await fork({ edits: { tokenBudget: 50_000 } })
  assert.is(made.status, 201, made.text)
  await world.runtime.runs.wait(made.json.id as string)
  const kept: string[] = []
  for await (const event of world.runtime.runs.events(made.json.id as string))
    if (event.type === 'stage.completed' && event.data.inherited === true) kept.push(event.stage ?? '')
  assert.equal(kept, ['analyze'])
})

test('/execute takes the options of a run beside the task or below it, and each in one place', async () => {
  const task = 'What is 6 times 7?'
  const ask = (body: object) => world.ask('POST', '/execute', { body: { task, mode: 'plan', ...body } })
  const answers = [await ask({ topology: 'SEQUENTIAL' }), await ask({ options: { topology: 'SEQUENTIAL' } })]
  for (const { status, json } of answers)
    assert.equal([status, (json.plan as { topology: string }).topology], [200, 'SEQUENTIAL'])
  const { status, json } = await ask({ topology: 'SINGLE', options: { topology: 'SEQUENTIAL' } })
  assert.is(status, 400, JSON.stringify(json))
  assert.match(JSON.stringify(json.errors), /"path":"\/topology","message":"stands in \/options\/topology too/)
})

test.run()
