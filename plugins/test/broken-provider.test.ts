/** A provider that is broken under a team: one cause, one message, few calls. */
import type { RunCreate } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'
import { type FakeServer, sendJson, startFakeServer } from './fixtures/fake-server.ts'
import { resultOf } from './fixtures/runs.ts'

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
  'a page of a proxy': {
    status: 403,
    body: PAGE,
    code: 'provider_auth',
    says: /403 Forbidden: Sorry Your country is not served\..{0,200}$/,
    most: 3,
  },
  'a path where nothing is': {
    status: 404,
    body: '<html><body><h1>Not Found</h1></body></html>',
    code: 'provider_bad_response',
    says: /404 Not Found; nothing answers at this path: check baseUrl$/,
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
    // Four tries of each of the first three calls, and of the one that has waited two seconds for them.
    most: 16,
  },
}

const TOPOLOGIES = ['SINGLE', 'SEQUENTIAL', 'PARALLEL', 'CENTRALIZED', 'DECENTRALIZED', 'HYBRID', 'AUTO']

let server: FakeServer
test.before(async () => {
  server = await startFakeServer()
})
test.after(() => server.close())

for (const [name, { status, body, code, says, most }] of Object.entries(FAILURES)) {
  const topologies = status === 401 ? TOPOLOGIES : ['PARALLEL']
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
      const result = await resultOf(runtime, id)
      await runtime.close()
      assert.equal([result.status, result.error?.code], ['failed', code])
      assert.match(result.error?.message ?? '', says)
      assert.ok((result.error?.message ?? '').length <= 300, result.error?.message)
      assert.ok(server.seen.length - before <= most, `${server.seen.length - before} requests`)
    })
  }
}

test.run()
