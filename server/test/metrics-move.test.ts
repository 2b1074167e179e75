/** Each metric moves when that happens which it counts, and Prometheus itself reads the text. */
import { spawnSync } from 'node:child_process'
import { definePlugin } from '@svc/core'
import * as assert from 'uvu/assert'
import { makeFolder } from './fixtures/folder.ts'
import { posting, postingScript } from './fixtures/good-requests.ts'
import { type OpenServer, openServer, serverSuite } from './fixtures/open-server.ts'
import { startProcess } from './fixtures/start-process.ts'
import { until } from './fixtures/until.ts'

const test = serverSuite('metrics under load')

const read = async (world: OpenServer): Promise<string> => (await world.ask('GET', '/metrics')).text

/** The sum of every series of a metric whose labels fit. */
function sumOf(text: string, name: string, labels = ''): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => line.includes(labels))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

const post = { task: 'Post a message to the team' }
const plain = { task: 'What is 6 times 7?' }

/** What makes each metric grow; run one after the other on one server. */
const MOVES: readonly (readonly [
  metrics: readonly (readonly [name: string, labels?: string])[],
  cause: (world: OpenServer) => Promise<unknown>,
])[] = [
  [
    [
      ['svc_runs_total', 'status="completed"'],
      ['svc_run_duration_seconds_count', 'mode="execute"'],
      ['svc_stage_duration_seconds_count', 'stage="plan"'],
      ['svc_hook_duration_seconds_count', 'hook="execute",plugin="orchestrate"'],
      ['svc_hook_duration_seconds_count', 'hook="modelRequest",plugin="watching"'],
      ['svc_model_requests_total', 'outcome="completed"'],
      ['svc_model_request_duration_seconds_count'],
      ['svc_tokens_total', 'type="input"'],
      ['svc_tokens_total', 'type="output"'],
      ['svc_tokens_total', 'type="cached"'],
      ['svc_tokens_total', 'type="cacheWrite"'],
      ['svc_tokens_total', 'type="reasoning"'],
      ['svc_cost_usd_total', 'model="scripted"'],
      ['svc_log_fsync_seconds_count'],
      ['svc_log_bytes_total'],
      ['svc_memory_records', 'layer="episodic"'],
      ['svc_http_requests_total', 'route="/v1/runs",code="201"'],
      ['svc_http_request_duration_seconds_count', 'route="/v1/runs"'],
    ],
    (world) => world.ask('POST', '/v1/runs?wait=60000', { body: plain }),
  ],
  [
    [['svc_model_ttft_seconds_count']],
    (world) => world.ask('POST', '/v1/runs', { body: plain, headers: { accept: 'text/event-stream' } }),
  ],
  [
    [['svc_runs_active', 'status="waiting"'], ['svc_approvals_pending']],
    (world) => world.ask('POST', '/v1/runs?wait=60000', { body: post }),
  ],
  [
    [
      ['svc_tool_calls_total', 'tool="post_message",outcome="completed"'],
      ['svc_tool_duration_seconds_count', 'tool="post_message"'],
    ],
    async (world) => {
      const { json } = await world.ask('GET', '/v1/approvals?status=pending')
      const [asked] = json.data as { id: string; runId: string }[]
      await world.ask('POST', `/v1/approvals/${asked?.id}`, { body: { decision: 'approve' } })
      await until(async () => (await world.runtime.runs.get(asked?.runId ?? '')).status === 'completed')
    },
  ],
  [
    [
      ['svc_tool_calls_total', 'tool="post_message",outcome="denied"'],
      ['svc_policy_denials_total'],
      ['svc_runs_total', 'status="incomplete"'],
    ],
    (world) => world.ask('POST', '/execute', { body: post }),
  ],
  [
    [
      ['svc_model_requests_total', 'outcome="failed"'],
      ['svc_runs_total', 'status="failed"'],
    ],
    (world) => world.ask('POST', '/execute', { body: { task: 'Fail, please' } }),
  ],
  [
    [['svc_consensus_total']],
    (world) => world.ask('POST', '/execute', { body: { ...plain, options: { consensus: true, riskLevel: 'high' } } }),
  ],
  [
    [['svc_model_requests_total', 'outcome="cached"']],
    async (world) => {
      const [run] = (await world.runtime.runs.list({ status: 'completed', order: 'asc' })).data
      const { json } = await world.ask('POST', `/v1/runs/${run?.id}/fork`, {
        body: { atSeq: run?.lastSeq, edits: { task: 'What is 6 times 8?' } },
      })
      await world.runtime.runs.wait(json.id as string)
    },
  ],
  [
    [['svc_sse_disconnects_total', 'reason="left"']],
    async (world) => {
      const leave = new AbortController()
      const open = await fetch(`${world.url}/v1/events`, {
        headers: { 'x-api-key': 'good', accept: 'text/event-stream' },
        signal: leave.signal,
      })
      await open.body?.getReader().read()
      assert.is(sumOf(await read(world), 'svc_sse_clients'), 1)
      leave.abort()
      await until(async () => sumOf(await read(world), 'svc_sse_clients') === 0)
    },
  ],
  [[['svc_auth_failures_total']], (world) => world.ask('GET', '/v1/runs', { headers: { 'x-api-key': 'bad' } })],
]

const watching = definePlugin('watching', ({ hooks }) => hooks.modelRequest.tap('look', () => undefined))

const script: NonNullable<Parameters<typeof openServer>[0]>['script'] = (request, index) => {
  if (JSON.stringify(request.messages).includes('Fail, please')) return { error: new Error('broken') }
  const answer = postingScript(request, index)
  return typeof answer === 'string'
    ? {
        text: answer,
        usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 50, cacheWriteTokens: 20, reasoningTokens: 5 },
      }
    : answer
}

test('each metric grows when that happens which it counts', async () => {
  const dir = makeFolder()
  const world = await openServer({
    script,
    plugins: [posting(), watching()],
    server: { keys: () => ['good'] },
    models: [{ id: 'scripted', tools: true, json: 'schema', price: { input: 3, output: 15 } }],
    runtime: { persist: { dir } },
  })
  const asGood: OpenServer = {
    ...world,
    ask: (method, path, asked) =>
      world.ask(method, path, { ...asked, headers: { 'x-api-key': 'good', ...asked?.headers } }),
  }
  for (const [metrics, cause] of MOVES) {
    const before = await read(asGood)
    await cause(asGood)
    const after = await read(asGood)
    for (const [name, labels] of metrics)
      assert.ok(sumOf(after, name, labels) > sumOf(before, name, labels), `${name} ${labels ?? ''}`)
  }
  const text = await read(asGood)
  for (const name of ['svc_build_info', 'svc_queue_depth', 'svc_recovered_runs_total', 'process_cpu_seconds_total'])
    assert.match(text, new RegExp(`^${name}[{ ]`, 'm'))
  assert.not.match(text, /6 times 7|Post a message|run_0/, 'nothing of a task')
})

test('a run that is taken up after a crash is counted where it goes on', async () => {
  const dir = makeFolder()
  const first = await startProcess(dir, 'hang')
  const { id } = (await (
    await fetch(`${first.url}/v1/runs`, {
      method: 'POST',
      body: JSON.stringify(plain),
      headers: { 'content-type': 'application/json' },
    })
  ).json()) as { id: string }
  await until(async () => (await (await fetch(`${first.url}/v1/runs/${id}/events`)).text()).includes('model.started'))
  await first.kill()
  const world = await openServer({ runtime: { persist: { dir } } })
  assert.is((await world.runtime.runs.wait(id, 60_000)).status, 'completed')
  const text = await read(world)
  assert.is(sumOf(text, 'svc_recovered_runs_total'), 1)
  assert.is(sumOf(text, 'svc_runs_total', 'status="completed"'), 1)
})

/** Runs that a server says it has, by status, and the depth of its queue. */
async function countsOf(world: OpenServer): Promise<Record<string, number>> {
  const { text } = await world.ask('GET', '/metrics')
  const counts: Record<string, number> = {}
  for (const [, status = '', count] of text.matchAll(/^svc_runs_active\{status="(\w+)"\} (\d+)$/gm))
    counts[status] = Number(count)
  counts.depth = Number(/^svc_queue_depth (\d+)$/m.exec(text)?.[1])
  return counts
}

const NONE = { queued: 0, running: 0, waiting: 0, cancelling: 0, depth: 0 }

test('a run that is taken in here and worked on elsewhere leaves the queue of this process', async () => {
  const persist = { dir: makeFolder() }
  const front = await openServer({ runtime: { persist, claims: 'none' } })
  const { id } = (await front.ask('POST', '/v1/runs', { body: plain })).json
  assert.equal(await countsOf(front), { ...NONE, queued: 1, depth: 1 })
  const worker = await openServer({ runtime: { persist } })
  await worker.runtime.runs.wait(id as string)
  await until(async () => (await countsOf(front)).depth === 0)
  assert.equal(await countsOf(front), NONE)
  assert.equal(await countsOf(worker), NONE)
  const { text } = await worker.ask('GET', '/metrics')
  assert.match(text, 'svc_runs_total{mode="execute",status="completed",verdict="unverified"} 1')
})

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined

test(`Prometheus finds no fault with the text${hasPromtool ? '' : ' (skipped: there is no promtool)'}`, async () => {
  if (!hasPromtool) return
  const world = await openServer({ script: postingScript, plugins: [posting()] })
  await world.ask('POST', '/execute', { body: plain })
  await world.ask('POST', '/execute', { body: post })
  const input = await read(world)
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
  const said = `${stdout}${stderr}`.split('\n').filter((line) => line !== '')
  assert.equal(said, [])
  assert.ok(status === 0 || status === 3)
})

test.run()
