/** The trace of a caller goes on through its run, and nothing but a well-formed header is taken for one. */
import * as assert from 'uvu/assert'
import { type Answered, askWith, type OpenServer, openServer, serverSuite } from './fixtures/open-server.ts'
import { pausing } from './fixtures/until.ts'

const test = serverSuite('traces of callers')

const body = { task: 'What is 6 times 7?' }
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const good = `00-${TRACE}-${SPAN}-01`

interface Trace {
  traceId: string
  spans: { spanId: string; parentSpanId?: string; name: string; attributes: Record<string, unknown> }[]
}
const traceOf = async (world: OpenServer, { json }: Answered): Promise<Trace> =>
  (await world.ask('GET', `/v1/runs/${json.id ?? json.runId}/trace`)).json as unknown as Trace

test('a run is below the span of its caller, and the answer names its own', async () => {
  const world = await openServer()
  for (const path of ['/execute', '/v1/runs?wait=60000']) {
    const made = await world.ask('POST', path, { body, headers: { traceparent: good } })
    const { traceId, spans } = await traceOf(world, made)
    const [root, ...others] = spans
    assert.is(traceId, TRACE)
    assert.is(root?.parentSpanId, SPAN)
    assert.is(made.headers.get('traceparent'), `00-${TRACE}-${root?.spanId}-01`)
    const ids = new Set(spans.map(({ spanId }) => spanId))
    assert.is(ids.size, spans.length)
    assert.ok(others.every(({ parentSpanId }) => parentSpanId !== undefined && ids.has(parentSpanId)))
    const { result } = (await world.ask('GET', `/v1/runs/${made.json.id ?? made.json.runId}?include=result`)).json
    assert.is((result as { traceId: string }).traceId, TRACE)
  }
})

test('without a caller the answer names the trace that the run begins, from the first moment on', async () => {
  const { answer, script } = pausing()
  const world = await openServer({ script })
  const made = await world.ask('POST', '/v1/runs', { body })
  const early = await traceOf(world, made)
  answer()
  await world.runtime.runs.wait(made.json.id as string)
  const late = await traceOf(world, made)
  assert.is(early.traceId, late.traceId)
  assert.is(made.headers.get('traceparent'), `00-${late.traceId}-${late.spans[0]?.spanId}-01`)
  assert.not.ok(late.spans[0]?.parentSpanId)
  const fork = await world.ask('POST', `/v1/runs/${made.json.id}/fork`, {
    body: { atSeq: 3 },
    headers: { traceparent: good },
  })
  assert.is((await traceOf(world, fork)).traceId, TRACE)
})

test('every answer goes on with the trace of its request, or has one of its own', async () => {
  const world = await openServer()
  for (const path of ['/health', '/v1/runs', '/v1/nothing']) {
    const { headers } = await world.ask('GET', path, { headers: { traceparent: `00-${TRACE}-${SPAN}-00` } })
    assert.match(headers.get('traceparent') ?? '', new RegExp(`^00-${TRACE}-(?!${SPAN})[0-9a-f]{16}-00$`), path)
    const other = await world.ask('GET', path)
    assert.match(other.headers.get('traceparent') ?? '', /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$/)
  }
})

test('a malformed header is ignored, and is in no answer, event or trace', async () => {
  const world = await openServer()
  const wrong = [
    good.toUpperCase(),
    `${good}-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE} -${SPAN}-01`,
    `${good}, ${good}`,
    'x'.repeat(8_000),
  ]
  for (const traceparent of wrong) {
    const made = await world.ask('POST', '/v1/runs?wait=60000', { body, headers: { traceparent } })
    assert.is(made.status, 201, traceparent)
    assert.is.not((await traceOf(world, made)).traceId, TRACE, traceparent)
    assert.not.match(made.headers.get('traceparent') ?? '', TRACE, traceparent)
    const log = await world.ask('GET', `/v1/runs/${made.json.id}/log`)
    assert.not.match(log.text, /traceparent/, traceparent)
  }
  const twice = await askWith(world.port, '/health', { traceparent: [good, good] })
  assert.not.match(String(twice.headers.traceparent), TRACE)
  const later = await world.ask('GET', '/health', { headers: { traceparent: `01-${TRACE}-${SPAN}-03-later` } })
  assert.match(later.headers.get('traceparent') ?? '', new RegExp(`^00-${TRACE}-.{16}-01$`))
})

test('the trace of the request is no part of what makes two requests the same', async () => {
  const world = await openServer()
  const headers = { 'idempotency-key': 'once' }
  const first = await world.ask('POST', '/v1/runs', { body, headers: { ...headers, traceparent: good } })
  const again = await world.ask('POST', '/v1/runs', { body, headers })
  assert.is(again.json.id, first.json.id)
  assert.is(again.headers.get('idempotency-replayed'), 'true')
})

test.run()
