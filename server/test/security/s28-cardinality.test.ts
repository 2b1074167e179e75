/** S28: names that come from outside make no more than so many series. */
import type { RunEvent } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Metrics } from '../../src/observe/metrics.ts'
import { openServer } from '../fixtures/open-server.ts'

const test = suite('S28 cardinality')

const NAMES = 100_000
const MOST = 100

/** The values of a label of a series. */
const valuesOf = (text: string, series: string, label: string): Set<string | undefined> =>
  new Set(
    [...text.matchAll(new RegExp(`^${series}\\{([^}]*)\\}`, 'gm'))].map(
      ([, labels = '']) => new RegExp(`${label}="([^"]*)"`).exec(labels)?.[1],
    ),
  )

/** Metrics that so many made-up routes, tools, models and rules went through. */
async function textAfter(names: number, mostValues?: number): Promise<string> {
  const metrics = new Metrics(() => 0, {}, mostValues)
  const usage = { inputTokens: 1, outputTokens: 1, estimated: false }
  for (let i = 0; i < names; i++) {
    metrics.request({ method: 'GET', route: `/made/up/${i}`, status: 200, seconds: 0.01 })
    for (const [type, data] of [
      ['tool.completed', { tool: `tool-${i}`, durationMs: 1 }],
      ['tool.denied', { tool: 'a', rule: `rule-${i}` }],
      ['model.failed', { provider: `provider-${i}`, model: `model-${i}`, usage, costUsd: 1 }],
    ] as const)
      metrics.apply({ type, data } as unknown as RunEvent)
  }
  return metrics.render()
}

const LABELS = [
  ['svc_http_requests_total', 'route'],
  ['svc_tool_calls_total', 'tool'],
  ['svc_policy_denials_total', 'rule'],
  ['svc_model_requests_total', 'provider'],
  ['svc_model_requests_total', 'model'],
] as const

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
  const text = await textAfter(1_000, Number.POSITIVE_INFINITY)
  for (const [series, label] of LABELS) assert.is(valuesOf(text, series, label).size, 1_000 + Number(label === 'tool'))
})

test('a name is cut, and addresses that no route has are one series', async () => {
  const metrics = new Metrics(() => 0)
  metrics.request({ method: 'GET', route: 'x'.repeat(5_000), status: 200, seconds: 0 })
  assert.not.match(await metrics.render(), 'x'.repeat(101))
  const world = await openServer()
  for (let i = 0; i < 20; i++) await world.ask('GET', `/v1/made-up-${i}`)
  const { text } = await world.ask('GET', '/metrics')
  assert.equal([...valuesOf(text, 'svc_http_requests_total', 'route')], ['unknown'])
  await world.close()
})

test.run()
