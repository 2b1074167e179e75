/** `svc mcp`: svc as an MCP server for the program that starts it, in the hands of the official client. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../../server/test/fixtures/until.ts'
import { type Asked, dropIn, type Said, startModelServer } from '../fixtures/model-server.ts'
import { svc } from '../fixtures/svc.ts'
import { begin, makeWorld, SVC, type World } from '../fixtures/world.ts'

const test = suite('svc mcp')

const ERAS = ['2025-11-25', '2026-07-28'] as const

/** What the task says is done: a file is written, a question asked, nothing said for a while; else there is an answer. */
function obey({ messages, tools }: Asked): Said {
  const text = JSON.stringify(messages)
  const last = messages.at(-1)
  if (last?.role === 'tool') return `Done: ${JSON.stringify(last.content).slice(0, 200)}`
  if (text.includes('WRITE')) return { calls: [{ name: 'write_file', args: '{"path":"note.txt","content":"hello"}' }] }
  if (text.includes('ASK')) return { calls: [{ name: 'ask_user', args: '{"question":"Which region?"}' }] }
  const nested = tools?.find(({ function: { name } }) => name.includes('me') && /run$/.test(name))
  if (text.includes('NEST'))
    return nested === undefined
      ? 'There is no such tool.'
      : { calls: [{ name: nested.function.name, args: '{"task":"NEST","topology":"SINGLE"}' }] }
  if (text.includes('HANG')) return (request) => void request.socket.on('close', () => hangs.ended++)
  return 'The answer is 42.'
}
const hangs = { ended: 0 }
const model = await startModelServer(obey)
test.after(() => model.close())

const worldWith = (more: object = {}): World => makeWorld({}, { 'providers/mine.json': dropIn(model), ...more })

interface Connected {
  client: Client
  transport: StdioClientTransport
  /** What was said on standard error. */
  errors: () => string
}

async function connect(world: World, era: (typeof ERAS)[number], answer?: Record<string, string>): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...SVC, 'mcp'],
    cwd: world.work,
    env: world.env,
    stderr: 'pipe',
  })
  let errors = ''
  transport.stderr?.on('data', (chunk) => (errors += chunk))
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
    },
  )
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept' as const, content: answer }))
  await client.connect(transport)
  return { client, transport, errors: () => errors }
}

const textOf = async ({ client }: Connected, task: string, more: object = {}): Promise<string> => {
  const { content } = await client.callTool({ name: 'run', arguments: { task, topology: 'SINGLE', ...more } })
  return (content as { text: string }[])[0]?.text ?? ''
}

for (const era of ERAS) {
  test(`${era}: a task is done, and what needs approval is asked of the person at the client`, async () => {
    const world = worldWith()
    const connected = await connect(world, era, { decision: 'approve' })
    assert.is(await textOf(connected, 'What is 6 times 7?'), 'The answer is 42.')
    assert.match(await textOf(connected, 'WRITE the note'), /Done: .*note\.txt/)
    await connected.client.close()
    const { out } = await svc(world, 'runs list --json')
    assert.equal(
      JSON.parse(out).data.map(({ status }: { status: string }) => status),
      ['completed', 'completed'],
    )
  })

  test(`${era}: a question of the run is answered there too`, async () => {
    const connected = await connect(worldWith(), era, { answer: 'north' })
    assert.match(await textOf(connected, 'ASK me'), /north/)
    await connected.client.close()
  })

  test(`${era}: where the client cannot ask, nothing is done that needs approval`, async () => {
    const connected = await connect(worldWith(), era)
    assert.match(await textOf(connected, 'WRITE the note'), /nobody is there to approve|approval/)
    await connected.client.close()
  })

  test(`${era}: a client that leaves ends its runs and their model calls, and the program with them`, async () => {
    const world = worldWith()
    const before = hangs.ended
    const connected = await connect(world, era)
    const told = textOf(connected, 'HANG').catch((error: Error) => error)
    await until(() => model.asked.some(({ messages }) => JSON.stringify(messages).includes('HANG')))
    const { pid } = connected.transport
    await connected.client.close()
    assert.instance(await told, Error)
    await until(() => hangs.ended > before && !isAlive(pid))
    model.asked.length = 0
    const { out } = await svc(world, 'runs list --json')
    assert.equal(
      JSON.parse(out).data.map(({ status }: { status: string }) => status),
      ['cancelled'],
    )
  })
}

function isAlive(pid: number | null): boolean {
  try {
    return pid !== null && process.kill(pid, 0)
  } catch {
    return false
  }
}

test('standard output holds the protocol alone, whatever a plugin prints', async () => {
  const world = worldWith()
  writeFileSync(
    join(world.work, 'svc.config.mjs'),
    `console.log('loud'); export default { plugins: [{ name: 'loud', apply() { console.log('louder'); process.stdout.write('loudest') } }] }`,
  )
  const { outcome } = begin(world, 'mcp --trust', { input: `${JSON.stringify(INITIALIZE)}\n` })
  const { out, err, code } = await outcome
  assert.is(code, 0, err)
  for (const line of out.trim().split('\n')) assert.is(JSON.parse(line).jsonrpc, '2.0')
  assert.match(err, /loud/)
})

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

test('what is no message is said on standard error, and the next is answered', async () => {
  const lines = ['{"jsonrpc":', '[]', '"x"', '{"jsonrpc":"2.0","method":"nothing/known"}', JSON.stringify(INITIALIZE)]
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
  const { outcome } = begin(worldWith(), 'mcp', { input: `${[...lines, JSON.stringify(ping)].join('\n')}\n` })
  const { out, code } = await outcome
  assert.is(code, 0)
  assert.equal(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
    [1, 2],
  )
})

test('svc uses svc, and a svc that uses itself comes to an end', async () => {
  const before = model.asked.length
  const me = { command: process.execPath, args: [...SVC, 'mcp'] }
  const world = worldWith({
    'mcp.json': { mcpServers: { me } },
    'svc.config.json': { policy: { rules: [{ tool: 'mcp.*', decision: 'allow' }] } },
  })
  const { code, out, err } = await begin(world, ['run', '-q', '--topology', 'single', 'NEST']).outcome
  assert.is(code, 0, err)
  assert.match(out, /svc mcp was started by svc, 3 times/)
  const nested = model.asked.slice(before).filter(({ messages }) => messages.at(-1)?.role !== 'tool')
  assert.is(nested.length, 3)
})

test('its help shows what else there is', async () => {
  const { code, out } = await svc(worldWith(), 'mcp --help')
  assert.is(code, 0)
  for (const action of ['serve', 'list', 'add', 'remove', 'test', 'login', 'read'])
    assert.match(out, new RegExp(`^  mcp ${action}`, 'm'))
})

test('a signal ends it', async () => {
  const world = worldWith()
  const child = spawn(process.execPath, [...SVC, 'mcp'], {
    cwd: world.work,
    env: world.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`)
  await new Promise((resolve) => child.stdout.once('data', resolve))
  child.kill('SIGTERM')
  assert.equal(await new Promise((resolve) => child.on('exit', (code, signal) => resolve([code, signal]))), [143, null])
})

test.run()
