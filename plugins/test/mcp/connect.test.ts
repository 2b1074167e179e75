import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { McpServer as OfficialServer } from '@modelcontextprotocol/server'
import { type McpServer, openMcpServer } from '@svc/plugins'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as z from 'zod'
import { listen, modern } from '../fixtures/mcp/http.ts'
import { plain, reference } from '../fixtures/mcp/programs.ts'
import { failureOf } from '../fixtures/tool-context.ts'
import { until } from '../fixtures/until.ts'

const test = suite('connections to MCP servers')
const place = { workspace: mkdtempSync(join(tmpdir(), 'svc-mcp-')) }

/** Opens a server, and closes it whatever comes of the work. */
async function using<T>(
  config: Parameters<typeof openMcpServer>[1],
  work: (server: McpServer) => Promise<T>,
): Promise<T> {
  const server = await openMcpServer('tried', config, place)
  try {
    return await work(server)
  } finally {
    await server.close()
  }
}

const textOf = (result: Awaited<ReturnType<McpServer['call']>>): string =>
  result.content.map((block) => (block.type === 'text' ? block.text : block.type)).join(' ')

test('the reference servers list tools, resources and prompts, and are called', async () => {
  await using(reference('everything'), async (server) => {
    assert.is(server.era, 'legacy')
    assert.ok((await server.tools()).some(({ name }) => name === 'echo'))
    assert.is(textOf(await server.call('echo', { message: 'hello' })), 'Echo: hello')
    assert.ok((await server.resources()).some(({ isTemplate }) => isTemplate))
    const [resource] = (await server.resources()).filter(({ isTemplate }) => !isTemplate)
    assert.ok((await server.readResource(resource?.uri ?? '')).length > 0)
    assert.ok((await server.prompts()).some(({ name }) => name === 'simple-prompt'))
    assert.is((await server.getPrompt('simple-prompt')).length, 1)
  })
  writeFileSync(join(place.workspace, 'a.txt'), 'content')
  await using(reference('filesystem', place.workspace), async (server) => {
    assert.match(textOf(await server.call('read_text_file', { path: join(place.workspace, 'a.txt') })), /content/)
  })
  await using(
    { ...reference('memory'), env: { MEMORY_FILE_PATH: join(place.workspace, 'memory.json') } },
    async (server) => {
      const entities = [{ name: 'svc', entityType: 'program', observations: ['runs'] }]
      await server.call('create_entities', { entities })
      assert.match(textOf(await server.call('read_graph', {})), /svc/)
    },
  )
})

test('a server of the revision without sessions is spoken to in its own words, over HTTP and over a pipe', async () => {
  const http = await modern(() => {
    const server = new OfficialServer({ name: 'new', version: '1' })
    server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
    }))
    return server
  })
  await using({ url: http.url, headers: { 'X-Key': 'k' } }, async (server) => {
    assert.is(server.era, 'modern')
    assert.equal(
      (await server.tools()).map(({ name }) => name),
      ['add'],
    )
    assert.is(textOf(await server.call('add', { a: 1, b: 2 })), '3')
  })
  assert.ok(http.seen.every((headers) => headers['x-key'] === 'k'))
  assert.ok(http.seen.some((headers) => headers['mcp-method'] === 'tools/call' && headers['mcp-name'] === 'add'))
  await http.close()
})

test('a program gets few variables, and those of its config with their placeholders filled in', async () => {
  const env = { PATH: process.env.PATH, HOME: '/home/her', ANTHROPIC_API_KEY: 'canary', TOKEN: 'hers' }
  const config = {
    ...plain({ calls: { env: 'env' } }),
    env: { A: `\${TOKEN}!`, B: '{env:TOKEN}', C: `\${NONE:-else}` },
  }
  const server = await openMcpServer('tried', config, { ...place, env })
  const seen = JSON.parse(textOf(await server.call('env', {})))
  await server.close()
  assert.is(seen.ANTHROPIC_API_KEY, undefined)
  assert.equal([seen.A, seen.B, seen.C, seen.HOME], ['hers!', 'hers', 'else', '/home/her'])
  const missing = await failureOf(openMcpServer('tried', { ...config, env: { A: `\${NONE}` } }, { ...place, env }))
  assert.is(missing.code, 'config_invalid')
  assert.match(missing.message, '/mcpServers/tried/env/A names the variable NONE')
})

test('a program that is not there, ends or never answers is named, with what it said', async () => {
  const absent = await failureOf(openMcpServer('absent', { command: '/no/such/program' }, place))
  assert.is(absent.code, 'connection_failed')
  assert.match(absent.message, /"absent" could not be started: .*ENOENT/)
  const dead = await failureOf(openMcpServer('dead', plain({ start: 'die' }), place))
  assert.match(dead.message, /"dead" could not be started: .*It said: no licence found/)
  const silent = await failureOf(openMcpServer('silent', { ...plain({ start: 'hang' }), timeoutMs: 500 }, place))
  assert.match(silent.message, '"silent" could not be started')
})

test('a call that hangs or ends the program fails, and the connection says that it is over', async () => {
  const file = join(place.workspace, 'calls.jsonl')
  const config = { ...plain({ calls: { slow: 'hang', end: 'die' }, file }), timeoutMs: 500 }
  await using(config, async (server) => {
    const late = await failureOf(server.call('slow', {}))
    assert.is(late.code, 'tool_timeout')
    await until(() => readFileSync(file, 'utf8').includes('"cancelled"'))
    const controller = new AbortController()
    const stopped = server.call('slow', {}, { signal: controller.signal, timeoutMs: 600_000 }).catch((thrown) => thrown)
    controller.abort(new Error('enough'))
    assert.is((await stopped).message, 'enough')
    const ended = await failureOf(server.call('end', {}, { timeoutMs: 600_000 }))
    assert.is(ended.code, 'tool_failed')
    await server.closed
  })
})

test('a redirect is not followed to where the config did not point', async () => {
  const other = await listen((_request, response) => response.writeHead(200).end())
  const first = await listen((_request, response) => response.writeHead(307, { location: other.url }).end())
  await failureOf(openMcpServer('moved', { url: first.url, headers: { authorization: 'Bearer canary' } }, place))
  assert.ok(first.seen.length > 0)
  assert.is(other.seen.length, 0)
  await Promise.all([first.close(), other.close()])
})

test('credentials of svc itself are used whole, or not at all', async () => {
  const refused = async (oauth: object): Promise<string> => {
    const error = await failureOf(
      openMcpServer('team', { url: 'http://127.0.0.1:9/mcp', oauth: { grant: 'client_credentials', ...oauth } }, place),
    )
    return error.message
  }
  assert.match(await refused({}), '/mcpServers/team/oauth/clientId is needed')
  assert.match(await refused({ clientId: 'svc', clientSecret: 's' }), '/mcpServers/team/oauth/issuer is needed')
  assert.match(await refused({ clientId: 'svc', issuer: 'http://127.0.0.1:9' }), 'clientSecret, or privateKey')
})

test.run()
