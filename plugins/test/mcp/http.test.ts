import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { Readable } from 'node:stream'
import { McpServer as OfficialServer } from '@modelcontextprotocol/server'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as z from 'zod'
import { openMcpServer } from '../../src/index.ts'
import { listen, modern } from '../fixtures/mcp/http.ts'
import { reference } from '../fixtures/mcp/programs.ts'
import { newPlace, offeredOf, runtimeWith, scriptOf, TASK, tryRun } from '../fixtures/mcp/trials.ts'
import { failureOf } from '../fixtures/tool-context.ts'
import { until } from '../fixtures/until.ts'

const test = suite('MCP servers over HTTP')
const config = { policy: { rules: [{ tool: 'mcp.*', decision: 'allow' as const }] } }
const echo = { tool: 'mcp.web.echo', args: { message: 'hello' } }
const started: ChildProcess[] = []
test.after(() => {
  for (const child of started) child.kill('SIGKILL')
})

/** A free port below those that systems give out, so that it stays free while its server starts anew. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, () => resolve(true))
    })
    await new Promise((resolve) => server.close(resolve))
    if (isFree) return port
  }
}

/** The reference server over HTTP, until it listens. */
async function everything(kind: string, port: number): Promise<ChildProcess> {
  const { command, args } = reference('everything', kind)
  const child = spawn(command, args, {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  started.push(child)
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  await until(() => said.includes(`port ${port}`))
  return child
}

test('the reference server is used over HTTP, and again with a new session when it has forgotten the old one', async () => {
  const port = await freePort()
  const child = await everything('streamableHttp', port)
  const server = { url: `http://127.0.0.1:${port}/mcp`, tools: { risk: { '*': 'read' as const } } }
  const place = newPlace()
  const runtime = await runtimeWith({ web: server }, place, scriptOf([echo], []), { config })
  const summaryOf = async (): Promise<string> => {
    const { id } = await runtime.runs.create(TASK)
    await runtime.runs.wait(id)
    return ((await runtime.runs.result(id)) as { summary: string }).summary
  }
  assert.match(await summaryOf(), 'Echo: hello')
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
  await everything('streamableHttp', port)
  assert.match(await summaryOf(), 'Echo: hello')
  await runtime.close()
})

test('a server of the oldest kind is spoken to by streams', async () => {
  const port = await freePort()
  await everything('sse', port)
  const trial = await tryRun({ web: { url: `http://127.0.0.1:${port}/sse` } }, { config, calls: [echo] })
  assert.ok(offeredOf(trial).includes('mcp.web.echo'))
  assert.is(trial.said[0], 'Echo: hello')
})

test('a server without sessions says that its tools have changed, and what came is offered to the next run', async () => {
  const names = ['one']
  const http = await modern(() => {
    const server = new OfficialServer({ name: 'new', version: '1' }, { capabilities: { tools: { listChanged: true } } })
    for (const name of names)
      server.registerTool(name, { inputSchema: z.object({}) }, () => ({ content: [{ type: 'text', text: name }] }))
    return server
  })
  let changed = 0
  const server = await openMcpServer('new', { url: http.url }, { ...newPlace(), onToolsChanged: () => void changed++ })
  assert.equal(
    (await server.tools()).map(({ name }) => name),
    ['one'],
  )
  names.push('two')
  http.notify.toolsChanged()
  await until(() => changed > 0)
  assert.equal(
    (await server.tools()).map(({ name }) => name),
    ['one', 'two'],
  )
  await server.close()
  await http.close()
})

test('an answer of 100 MB, one that never comes and one that is no protocol end the call, and not the process', async () => {
  const answers: [name: string, body: () => Iterable<string>, why: RegExp][] = [
    ['big', () => endless(), /more than \d+ bytes|failed/],
    ['wrong', () => ['<html>hello</html>'], /cannot be reached/],
  ]
  for (const [name, body, why] of answers) {
    const http = await listen((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      Readable.from(body()).pipe(response)
    })
    const failure = await failureOf(openMcpServer(name, { url: http.url }, newPlace()))
    assert.is(failure.code, 'connection_failed')
    assert.match(failure.message, why)
    await http.close()
  }
  assert.ok(process.memoryUsage().rss < 2 ** 30)
})

function* endless(): Generator<string> {
  for (let sent = 0; sent < 200; sent++) yield 'x'.repeat(1_000_000)
}

test('an address of a config may be of this machine, and no other is reached by it', async () => {
  const private_ = await listen((_request, response) => response.writeHead(200).end())
  const moved = await listen((_request, response) => response.writeHead(308, { location: private_.url }).end())
  const failure = await failureOf(
    openMcpServer('moved', { url: moved.url, headers: { 'x-key': 'canary' } }, newPlace()),
  )
  assert.is(failure.code, 'connection_failed')
  assert.is(private_.seen.length, 0)
  await Promise.all([private_.close(), moved.close()])
})

test.run()
