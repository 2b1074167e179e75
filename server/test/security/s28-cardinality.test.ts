/** S28: names that come from outside make no more than so many series. */
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { Metrics } from '../../src/observe/metrics.ts'
import { openServer, serverSuite } from '../fixtures/open-server.ts'
import { LABELS, textAfter, valuesOf } from './s28-attack.ts'

const test = serverSuite('S28 cardinality')

const NAMES = 5_000
const MOST = 100

test(`${NAMES} names of routes, tools, rules, providers and models: ${MOST} values a label, then \`other\``, async () => {
  const text = await textAfter(NAMES)
  for (const [series, label] of LABELS) {
    const values = valuesOf(text, series, label)
    assert.ok(values.has('other'), series)
    assert.ok(values.size <= MOST + 1, `${series}{${label}}: ${values.size}`)
  }
  assert.match(text, `svc_http_requests_total{method="GET",route="other",code="200"} ${NAMES - MOST}`)
  assert.ok(text.length < 2_000_000)
})

test('without the bound each name is a series', async () => {
  const bound = {
    file: 'server/src/observe/bounded-label.ts',
    name: 'BoundedLabel.prototype.of',
    weaken: '() => (value) => value',
  }
  const tool = 1_001 // and that of the denials
  assert.equal(await attackWithout('server/test/security/s28-attack.ts', [bound]), [1_000, tool, 1_000, 1_000, 1_000])
})

test('a name is cut, and addresses that no route has are one series', async () => {
  const metrics = new Metrics(() => 0)
  metrics.request({ method: 'GET', route: 'x'.repeat(5_000), status: 200, seconds: 0 })
  assert.not.match(await metrics.render(), 'x'.repeat(101))
  const world = await openServer()
  for (let i = 0; i < 20; i++) await world.ask('GET', `/v1/made-up-${i}`)
  const { text } = await world.ask('GET', '/metrics')
  assert.equal([...valuesOf(text, 'svc_http_requests_total', 'route')], ['unknown'])
})

test.run()
