/** A provider that is broken under a team: one cause, one message, few calls. */
import type { ExecutionResult, RunCreate } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'
import { type FakeServer, sendJson, startFakeServer } from './fixtures/fake-server.ts'

const test = suite('a provider that is broken under a team')

const TASK = 'Compare Oslo, Lima, Cairo, Rome, Paris and Berlin by the price of a hotel night and recommend one'
const PAGE = `<!DOCTYPE html><html><head><title>403 Forbidden</title><style>b{}</style></head><body><h1>Sorry</h1>
<script>track()</script><p>Your country is not served.</p>${'<div>filler</div>'.repeat(500)}</body></html>`

interface Failure {
  status: number
  body: object | string
  code: string
  says: RegExp
  /** Requests in all. */
  most: number
}

const FAILURES: Readonly<Record<string, Failure>> = {
  'a refused key': {
    status: 401,
    body: { error: { message: 'Incorrect API key provided' } },
    code: 'provider_auth',
    says: /401 Incorrect API key provided; check HOUSE_KEY$/,
    most: 3,
  },
  'a country that is not served': {
    status: 403,
    body: {
      error: { message: 'Country, region, or territory not supported', code: 'unsupported_country_region_territory' },
    },
    code: 'provider_auth',
    says: /403 Country, region, or territory not supported$/,
    most: 3,
  },
  'a page of a proxy': {
    status: 403,
    body: PAGE,
    code: 'provider_auth',
    says: /403 Forbidden: Sorry Your country is not served\..{0,200}$/,
    most: 3,
  },
  'a model that the provider does not know': {
    status: 404,
    body: { error: { message: "model 'm' not found, try pulling it first" } },
    code: 'model_not_found',
    says: /404 model 'm' not found/,
    most: 3,
  },
  'a path where nothing is': {
    status: 404,
    body: '<html><body><h1>Not Found</h1></body></html>',
    code: 'provider_bad_response',
    says: /404 Not Found; nothing answers at this path: check baseUrl$/,
    most: 3,
  },
  'a request that it refuses': {
    status: 400,
    body: { error: { message: 'The flux capacitor is missing' } },
    code: 'provider_bad_response',
    says: /400 The flux capacitor is missing$/,
    most: 3,
  },
  'an account without credit': {
    status: 429,
    body: { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } },
    code: 'provider_rate_limited',
    says: /no credit left$/,
    most: 3,
  },
  'a server that fails': {
    status: 500,
    body: { error: { message: 'internal' } },
    code: 'provider_unavailable',
    says: /500 internal$/,
    most: 9,
  },
  'a server behind a page': {
    status: 503,
    body: '<html><head><title>503 Service Temporarily Unavailable</title></head><body><h1>503 Service Temporarily Unavailable</h1><hr>nginx</body></html>',
    code: 'provider_unavailable',
    says: /503 Service Temporarily Unavailable: nginx$/,
    most: 9,
  },
  'a server that asks to wait': {
    status: 429,
    body: { error: { message: 'slow down' } },
    code: 'provider_rate_limited',
    says: /429 slow down$/,
    most: 9,
  },
}

const TOPOLOGIES = ['SINGLE', 'SEQUENTIAL', 'PARALLEL', 'CENTRALIZED', 'DECENTRALIZED', 'HYBRID']

let server: FakeServer
test.before(async () => {
  server = await startFakeServer()
})
test.after(() => server.close())

for (const [name, { status, body, code, says, most }] of Object.entries(FAILURES)) {
  // What may pass is tried again after a while, so two topologies are enough.
  const topologies = most > 3 ? ['PARALLEL', 'AUTO'] : [...TOPOLOGIES, 'AUTO']
  for (const topology of topologies) {
    test(`${name}: ${topology} ends with that error after ${most} requests at most`, async () => {
      server.answer((response) => {
        if (typeof body === 'string') response.writeHead(status, { 'content-type': 'text/html' }).end(body)
        else sendJson(response, body, status, status === 429 ? { 'retry-after-ms': '1' } : {})
      })
      const before = server.seen.length
      const house = { type: 'openai', baseUrl: `${server.url}/v1`, defaultModel: 'm', apiKeyEnv: 'HOUSE_KEY' }
      const runtime = await createRuntime(
        { providers: { house }, model: 'house/m' },
        { env: { HOUSE_KEY: 'sk-123456' } },
      )
      const { id } = await runtime.runs.create({ task: TASK, topology } as RunCreate)
      await runtime.runs.wait(id)
      const result = (await runtime.runs.result(id)) as ExecutionResult
      await runtime.close()
      assert.equal([result.status, result.error?.code], ['failed', code])
      assert.match(result.error?.message ?? '', says)
      assert.ok((result.error?.message ?? '').length <= 300, result.error?.message)
      assert.ok(server.seen.length - before <= most, `${server.seen.length - before} requests`)
    })
  }
}

test.run()
