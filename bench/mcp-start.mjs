/**
 * How much later a run's first token comes with three MCP servers (everything, filesystem, memory) than without any: on first use,
 * when nothing was ever seen of them, and later, when their tools are known. The model is a server on this machine that answers at
 * once. Each run is a process of its own, and the three kinds take turns. It measures the build: `npm run build` before.
 *
 * Usage: node bench/mcp-start.mjs [--rounds 15]
 */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, numbersOf, quartiles } from './measure.mjs'
import { toTable } from './table.mjs'

const KINDS = ['without', 'first use', 'known']

if (process.send === undefined) await compare()
else await runOnce(JSON.parse(process.argv[2]))

async function compare() {
  const { rounds } = numbersOf({ rounds: 15 })
  const model = createServer((request, response) => {
    request.resume()
    const piece = (delta, finish_reason) =>
      `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`${piece({ content: 'Hello.' }, null)}${piece({}, 'stop')}data: [DONE]\n\n`)
  })
  await new Promise((resolve) => model.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${model.address().port}/v1`
  const seen = mkdtempSync(join(tmpdir(), 'svc-mcp-start-'))
  await measure({ url, home: seen, servers: true })
  const times = new Map(KINDS.map((kind) => [kind, []]))
  for (let round = 0; round < rounds; round++) {
    for (const kind of KINDS) {
      const home = kind === 'known' ? seen : mkdtempSync(join(tmpdir(), 'svc-mcp-start-'))
      times.get(kind).push(await measure({ url, home, servers: kind !== 'without' }))
      if (home !== seen) rmSync(home, { recursive: true })
    }
  }
  rmSync(seen, { recursive: true })
  model.close()
  const plain = median(times.get('without').map(({ ms }) => ms))
  const rows = KINDS.map((kind) => {
    const took = times.get(kind).map(({ ms }) => ms)
    const tools = times.get(kind).map((each) => each.tools)
    return [
      kind,
      ...[median(took), ...quartiles(took), median(took) - plain].map((ms) => ms.toFixed(0)),
      `${Math.min(...tools)}`,
    ]
  })
  const head = ['servers', 'first token ms', '1st quartile', '3rd quartile', 'later by ms', 'tools of servers']
  console.log(toTable(head, rows, [1, 2, 3, 4, 5]).join('\n'))
}

/** One run in a new process. */
function measure(how) {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(how)])
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)))
  })
}

async function runOnce({ url, home, servers }) {
  const { createRuntime } = await import('@svc/plugins')
  const { resolve } = createRequire(import.meta.url)
  const serverOf = (name, ...args) => ({
    command: process.execPath,
    args: [resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
  })
  const workspace = mkdtempSync(join(tmpdir(), 'svc-mcp-start-'))
  const mcpServers = {
    everything: serverOf('everything'),
    files: serverOf('filesystem', tmpdir()),
    memory: serverOf('memory'),
  }
  const runtime = await createRuntime(
    {
      model: 'mock/m',
      providers: { mock: { type: 'openai', baseUrl: url, apiKeyEnv: 'MOCK_KEY', models: { m: { tools: true } } } },
      ...(servers && { mcpServers }),
    },
    {
      workspace,
      env: { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home, MOCK_KEY: 'mock-key-0123456789' },
      persist: false,
    },
  )
  let tools = 0
  runtime.onEvent(({ type, data }) => {
    if (type === 'model.started') tools = data.params.tools?.filter((id) => id.startsWith('mcp.')).length ?? 0
  })
  const started = performance.now()
  const { id } = await runtime.runs.create({ task: 'Say hello.', topology: 'SINGLE', reflect: false, consensus: false })
  for await (const { type } of runtime.runs.events(id)) {
    if (type !== 'message.delta') continue
    process.send({ ms: performance.now() - started, tools })
    break
  }
  await runtime.runs.wait(id)
  await runtime.close()
  rmSync(workspace, { recursive: true })
  process.disconnect()
}
