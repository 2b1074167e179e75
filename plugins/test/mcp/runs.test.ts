import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { loadConfig } from '@svc/core/config'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime, McpPins, openCassette, replayRun } from '../../src/index.ts'
import { folderOf } from '../fixtures/folder-of.ts'
import { plain } from '../fixtures/mcp/programs.ts'
import { callsIn, newPlace, offeredOf, runtimeWith, scriptOf, TASK, tryRun } from '../fixtures/mcp/trials.ts'
import { endedRun, eventsOf, exportOf } from '../fixtures/runs.ts'

const test = suite('runs with MCP servers')

test('a run is offered the tools of its servers under their names, and asks before it calls one', async () => {
  const files = plain({ tools: [{ name: 'read', description: 'Reads.' }, { name: 'write' }] })
  const trial = await tryRun(
    { files, off: { command: '/no/such/program', disabled: true } },
    {
      calls: [{ tool: 'mcp.files.read', args: {} }],
      decide: () => ({ decision: 'approve' }),
    },
  )
  assert.equal(offeredOf(trial), ['mcp.files.read', 'mcp.files.write'])
  assert.equal(trial.approvals, ['mcp.files.read'])
  assert.equal(trial.said, ['did read'])
  const requested = trial.events.find(({ type }) => type === 'tool.requested')
  assert.match(JSON.stringify(requested), '"risk":"execute"')
  assert.match(JSON.stringify(requested), 'MCP server files')
  assert.match(JSON.stringify(trial.events.find(({ type }) => type === 'tool.completed')), '"trust":"untrusted"')
})

test('where nobody is asked, a call is refused', async () => {
  const trial = await tryRun(
    { files: plain({ tools: [{ name: 'read' }] }) },
    { calls: [{ tool: 'mcp.files.read', args: {} }] },
  )
  assert.match(trial.said[0] ?? '', /denied: .*nobody is there/)
})

test('a config says the risk of tools, which are offered, and which may be called twice', async () => {
  const listed = [{ name: 'read' }, { name: 'read_all' }, { name: 'write' }, { name: 'drop' }]
  const tools = { allow: ['read*', 'drop'], deny: ['read_all'], risk: { read: 'read' as const } }
  const trial = await tryRun(
    { files: { ...plain({ tools: listed }), tools } },
    { calls: [{ tool: 'mcp.files.read', args: {} }] },
  )
  assert.equal(offeredOf(trial), ['mcp.files.read', 'mcp.files.drop'])
  assert.is(trial.said[0], 'did read')
})

test('a fork is offered what its run began with, and the log is gone over where there is no server', async () => {
  const place = newPlace()
  const toolsFile = join(place.home, 'tools.json')
  const list = (description: string): void => writeFileSync(toolsFile, JSON.stringify([{ name: 'read', description }]))
  list('Reads.')
  const servers = { files: plain({ toolsFile }) }
  const requests: Parameters<typeof scriptOf>[1] = []
  const config = { policy: { rules: [{ tool: 'mcp.*', decision: 'allow' as const }] } }
  const first = await runtimeWith(servers, place, scriptOf([{ tool: 'mcp.files.read', args: {} }], requests), {
    config,
    more: { persist: { dir: join(place.home, 'data') } },
  })
  const id = await endedRun(first, TASK)
  assert.is((await first.runs.replay(id)).identical, true)
  const file = await exportOf(first, id)
  const started = (await eventsOf(first, id)).find(({ type }) => type === 'run.started')
  await first.close()
  // Since then the server was seen to say something else.
  new McpPins(join(place.home, 'svc')).write('files', servers.files, [
    { name: 'read', description: 'Otherwise.', parameters: { type: 'object' } },
  ])
  requests.splice(0)
  const second = await runtimeWith(servers, place, scriptOf([], requests), {
    config,
    more: { persist: { dir: join(place.home, 'data') } },
  })
  const fork = await second.runs.fork(id, { atSeq: started?.seq ?? 0 })
  await second.runs.wait(fork.id)
  const own = await endedRun(second, TASK)
  assert.ok(own !== fork.id)
  const described = requests.map(
    ({ tools = [] }) => tools.find((tool) => tool.id === 'mcp.files.read')?.description ?? '',
  )
  assert.match(described[0] ?? '', /in its words: Reads\.$/)
  assert.match(described.at(-1) ?? '', /in its words: Otherwise\.$/)
  await second.close()
  const none = join(place.home, 'none.json')
  const loaded = await loadConfig({ cwd: folderOf(), userDir: folderOf(), managedFile: none, env: {} })
  const replayed = await replayRun(await openCassette(file, 'strict'), loaded)
  assert.is(replayed.identical, true, JSON.stringify(replayed.result).slice(0, 500))
})

for (const type of ['openai', 'anthropic']) {
  test(`a model of the ${type} format gets short names, and what it calls is the tool`, async () => {
    const long = 'x'.repeat(120)
    const sent: { name: string }[] = []
    const model = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { tools, messages, stream } = JSON.parse(Buffer.concat(chunks).toString())
      const named = tools.map((tool: { name?: string; function?: { name: string } }) => ({
        name: tool.name ?? tool.function?.name,
      }))
      sent.splice(0, sent.length, ...named)
      const name = named.find((tool: { name: string }) => tool.name.startsWith('mcp_'))?.name
      const isDone = JSON.stringify(messages).includes('did xxx')
      assert.not.ok(stream === 'never')
      response.writeHead(200, { 'content-type': 'application/json' })
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
      const call = { id: 'call_1', type: 'function', function: { name, arguments: '{}' } }
      const message = isDone
        ? { role: 'assistant', content: 'Done.' }
        : { role: 'assistant', content: null, tool_calls: [call] }
      const openai = {
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        usage,
        choices: [{ index: 0, message, finish_reason: isDone ? 'stop' : 'tool_calls' }],
      }
      const content = isDone ? [{ type: 'text', text: 'Done.' }] : [{ type: 'tool_use', id: 'call_1', name, input: {} }]
      const anthropic = {
        id: 'x',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content,
        stop_reason: isDone ? 'end_turn' : 'tool_use',
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      }
      response.end(JSON.stringify(type === 'openai' ? openai : anthropic))
    })
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
    const place = newPlace()
    const file = join(place.home, 'calls.jsonl')
    const baseUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}${type === 'openai' ? '/v1' : ''}`
    const runtime = await createRuntime(
      {
        model: 'own/m',
        providers: { own: { type, baseUrl, apiKeyEnv: 'OWN_KEY', models: { m: { tools: true } } } },
        mcpServers: { 'a-server': plain({ tools: [{ name: long }, { name: `${long}y` }], file }) },
        policy: { rules: [{ tool: `mcp.a-server.*`, decision: 'allow' }] },
      },
      { workspace: place.workspace, env: { ...place.env, OWN_KEY: 'key-0123456789abcdef' }, persist: false },
    )
    const { id } = await runtime.runs.create(TASK)
    await runtime.runs.wait(id)
    await runtime.close()
    model.close()
    model.closeAllConnections()
    assert.ok(sent.length > 2 && new Set(sent.map(({ name }) => name)).size === sent.length)
    assert.ok(sent.every(({ name }) => /^[A-Za-z0-9_-]{1,64}$/.test(name)))
    assert.equal(
      callsIn(file).map(({ name }) => name),
      [long],
    )
  })
}

test('what a config holds for a server alone is in no event, warning or description', async () => {
  const place = newPlace()
  const servers = {
    files: {
      ...plain({ tools: [{ name: 'read' }], calls: { read: 'env' } }),
      env: { FILES_TOKEN: 'canary-0123456789' },
    },
    web: { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: 'Bearer canary-9876543210' } },
  }
  const calls = [{ tool: 'mcp.files.read', args: {} }]
  const trial = await tryRun(servers, { place, calls, decide: () => ({ decision: 'approve' }) })
  assert.not.match(JSON.stringify(trial), 'canary-')
  const runtime = await runtimeWith(servers, place, scriptOf([], []))
  assert.not.match(JSON.stringify(await runtime.describe()), 'canary-')
  await runtime.close()
})

test('a server that a new config does not have ends, and one that it has stays', async () => {
  const place = newPlace()
  const env = { tools: { risk: { '*': 'read' as const } } }
  const kept = { ...plain({ tools: [{ name: 'pid' }], calls: { pid: 'env' } }), ...env }
  const runtime = await runtimeWith(
    { kept, gone: plain({ tools: [{ name: 'x' }] }) },
    place,
    scriptOf([{ tool: 'mcp.kept.pid', args: {} }], []),
  )
  const offered = async (): Promise<string[]> =>
    (await runtime.describe()).tools.flatMap(({ id }) => (id.startsWith('mcp.') ? [id] : []))
  const { id } = await runtime.runs.create(TASK)
  await runtime.runs.wait(id)
  assert.equal(await offered(), ['mcp.kept.pid', 'mcp.gone.x'])
  await runtime.reload({ model: 'scripted/scripted', mcpServers: { kept } })
  assert.equal(await offered(), ['mcp.kept.pid'])
  await runtime.close()
})

test.run()
