/** The experiments of a folder over HTTP, and what is no experiment there. */
import { mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { makeExperiments, putExperiment } from './fixtures/experiment.ts'
import { makeFolder } from './fixtures/folder.ts'
import { openServer, serverSuite } from './fixtures/open-server.ts'

const test = serverSuite('experiments over HTTP')

type Item = { id: string; arms: string[]; runs: object; verdict?: string; failedRuns: number }

test('an experiment is listed with its first verdict, and its report is what was written', async () => {
  const folder = makeExperiments('topologies')
  const report = JSON.parse(JSON.stringify(putExperiment(folder, 'topologies')))
  const { ask } = await openServer({ server: { experiments: folder } })
  const [item, ...more] = (await ask('GET', '/v1/experiments')).json.data as Item[]
  assert.equal(more, [])
  assert.equal(
    { ...item },
    {
      ...item,
      id: 'topologies',
      arms: report.arms.map(({ id }: { id: string }) => id),
      runs: { made: 600, planned: 600 },
      verdict: `few-tokens: ${report.comparisons[0].verdict}`,
    },
  )
  assert.ok((item?.failedRuns ?? 0) > 0)
  assert.equal((await ask('GET', '/v1/experiments/topologies')).json, { report, storedRuns: [] })
})

test('one without a report is listed by its design, and why it has none to show is said', async () => {
  const folder = makeExperiments('half')
  renameSync(join(folder, 'half', 'report.json'), join(folder, 'half', 'report.part'))
  const { ask } = await openServer({ server: { experiments: folder } })
  const [item] = (await ask('GET', '/v1/experiments')).json.data as Item[]
  assert.equal([item?.runs, item?.verdict], [{ made: 600, planned: 600 }, undefined])
  const { status, json } = await ask('GET', '/v1/experiments/half')
  assert.equal([status, json.code], [404, 'experiment_not_found'])
  assert.match(String(json.detail), 'it has no report yet')
  writeFileSync(join(folder, 'half', 'report.json'), '{"format":2}')
  assert.match(String((await ask('GET', '/v1/experiments/half')).json.detail), 'of another version')
})

test('links, files too large, and names that are no experiment lead nowhere', async () => {
  const folder = makeExperiments('good')
  const outside = makeExperiments('secret')
  symlinkSync(join(outside, 'secret'), join(folder, 'linked'))
  for (const [name, file] of [
    ['linked-report', 'report.json'],
    ['linked-design', 'design.json'],
  ] as const) {
    mkdirSync(join(folder, name))
    symlinkSync(join(outside, 'secret', file), join(folder, name, file))
  }
  mkdirSync(join(folder, 'large'))
  writeFileSync(join(folder, 'large', 'report.json'), ' '.repeat(3 * 1024 * 1024))
  mkdirSync(join(folder, 'good.2026-01-01'))
  const { ask } = await openServer({ server: { experiments: folder } })
  assert.equal(
    ((await ask('GET', '/v1/experiments')).json.data as Item[]).map(({ id }) => id),
    ['good'],
  )
  for (const id of ['linked', 'linked-report', 'large', 'none'])
    assert.is((await ask('GET', `/v1/experiments/${id}`)).status, 404, id)
  for (const id of ['..%2f..', '%2e%2e', 'a%00b']) {
    const { status } = await ask('GET', `/v1/experiments/${id}`)
    assert.ok(status === 400 || status === 404, `${id}: ${status}`)
  }
  // The folder itself is a link.
  const place = join(realpathSync(makeFolder()), 'experiments')
  symlinkSync(outside, place)
  const other = await openServer({ server: { experiments: place } })
  assert.equal((await other.ask('GET', '/v1/experiments')).json.data, [])
})

test('a server without such a folder has none, and a key that only begins runs sees none', async () => {
  const { ask } = await openServer()
  assert.equal((await ask('GET', '/v1/experiments')).json.data, [])
  const world = await openServer({
    server: { experiments: makeExperiments(), keys: () => [{ name: 'bot', key: 'bot-key', scopes: ['submit'] }, 'owner-key'] },
  })
  assert.is((await world.askAs({ authorization: 'Bearer bot-key' }, 'GET', '/v1/experiments')).status, 403)
  assert.is((await world.askAs({ authorization: 'Bearer owner-key' }, 'GET', '/v1/experiments')).status, 200)
})

test.run()
