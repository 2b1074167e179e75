/** Going over a run through HTTP, where the plugins of the run are there and where they are not. */
import { definePlugin, type Plugin } from '@svc/core'
import * as assert from 'uvu/assert'
import { makeFolder } from './fixtures/folder.ts'
import { openServer, serverSuite } from './fixtures/open-server.ts'

const test = serverSuite('replays')

const grader = (): Plugin =>
  definePlugin('grader', ({ hooks }) => {
    hooks.inspect.tap('grader', () => ({ grade: 'healthy', score: 0.5, issues: [], signals: { own: 1 } }))
  })()

test('a run is gone over with its plugins, and without them the answer names them and nothing is gone over', async () => {
  const runtime = { persist: { dir: makeFolder() } }
  const first = await openServer({ runtime, plugins: [grader()] })
  const { id } = (await first.ask('POST', '/v1/runs?wait=60000', { body: { task: 'What is 6 times 7?' } })).json
  await first.close()
  const second = await openServer({ runtime, plugins: [grader()] })
  assert.equal((await second.ask('POST', `/v1/runs/${id}/replay`)).json, { identical: true })
  await second.close()
  const third = await openServer({ runtime })
  const { status, json } = await third.ask('POST', `/v1/runs/${id}/replay`)
  assert.is(status, 500)
  assert.is(json.code, 'plugin_load_failed')
  assert.match(String(json.detail), /plugin "grader", which is not here/)
})

test.run()
