/** Lines that no editor would send: each request is answered by a message of the protocol, and the process goes on. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../../server/test/fixtures/until.ts'
import { makeWorld, SVC } from '../fixtures/world.ts'

const test = suite('svc acp: mutated lines')

const LINES = process.env.SVC_NIGHTLY === '1' ? 100_000 : 300
const BATCH = 100
/** Memory is measured from here on: code and caches are there by then. */
const WARM = 20_000
const MOST_GROWTH_MB = 150
const SEED = fc.readConfigureGlobal()?.seed ?? 1

interface Reply {
  id?: unknown
  method?: string
  result?: unknown
  error?: { code: number; message: string }
}

/** `svc acp` as its bytes are. */
class RawAgent {
  readonly child: ChildProcess
  readonly counts = new Map<string, number>()
  readonly strange: string[] = []
  err = ''
  #next = 0
  readonly #waiting = new Map<string, (reply: Reply) => void>()

  constructor(cwd: string, env: Record<string, string>) {
    this.child = spawn(process.execPath, [...SVC, 'acp'], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
    this.child.stderr?.on('data', (chunk) => {
      this.err = (this.err + chunk).slice(-100_000)
    })
    this.child.stdin?.on('error', () => {})
    if (this.child.stdout !== null) createInterface({ input: this.child.stdout }).on('line', (line) => this.#read(line))
  }

  #read(line: string): void {
    let reply: Reply & { jsonrpc?: string } = {}
    try {
      reply = JSON.parse(line)
    } catch {}
    if (reply.jsonrpc !== '2.0') this.strange.push(line.slice(0, 300))
    const kind = reply.method ?? (reply.error === undefined ? 'result' : `error ${reply.error.code}`)
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    if (reply.error?.code === -32603) this.internal.push(reply.error.message)
    this.#waiting.get(String(reply.id))?.(reply)
    // Nobody answers what it asks but with nonsense.
    if (reply.method !== undefined && reply.id !== undefined)
      this.write(`{"jsonrpc":"2.0","id":${reply.id},"result":{}}`)
  }

  readonly internal: string[] = []

  write(line: string | Uint8Array): void {
    this.child.stdin?.write(line)
    this.child.stdin?.write('\n')
  }

  ask(method: string, params: object): Promise<Reply> {
    const id = `ours-${++this.#next}`
    return new Promise((resolve) => {
      this.#waiting.set(id, (reply) => {
        this.#waiting.delete(id)
        resolve(reply)
      })
      this.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  }

  get rssMb(): number {
    const status = `/proc/${this.child.pid}/status`
    return existsSync(status) ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]) / 1024 : 0
  }
}

/** A number generator of its own, since 100,000 lines are to be made quickly. */
function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

const STRANGE: readonly unknown[] = [
  null,
  true,
  -1,
  Number.MAX_VALUE,
  0.5,
  '',
  '\u0000',
  '../../etc/passwd',
  'x'.repeat(10_000),
  [],
  {},
  [[[[[[[[]]]]]]]],
  { __proto__: null },
  '/resume',
  '/undo',
]

/** A good line with a few values, or a few bytes, that are not. */
function mutate(good: unknown, random: (below: number) => number): Uint8Array {
  const message = structuredClone(good) as Record<string, unknown>
  for (let changes = random(3); changes > 0; changes--) {
    let at: Record<string, unknown> = message
    for (;;) {
      const keys = Object.keys(at)
      const key = keys[random(keys.length || 1)] ?? 'x'
      const below = at[key]
      if (typeof below === 'object' && below !== null && random(3) > 0) at = below as Record<string, unknown>
      else {
        if (random(5) === 0) delete at[key]
        else at[random(6) === 0 ? `${key}x` : key] = structuredClone(STRANGE[random(STRANGE.length)])
        break
      }
    }
  }
  let bytes = Buffer.from(JSON.stringify(message) ?? 'null')
  if (random(4) === 0) {
    bytes = Buffer.from(bytes)
    for (let changes = 1 + random(3); changes > 0; changes--) bytes[random(bytes.length)] = random(256)
  }
  if (random(20) === 0) bytes = bytes.subarray(0, random(bytes.length))
  return bytes
}

test(`${LINES} mutated lines: only messages come back, memory stays, and a prompt is answered after each thousand`, async () => {
  const world = makeWorld({ 'notes.md': 'The crane is 40 years old.\n' })
  const agent = new RawAgent(world.work, world.env)
  const { work: cwd } = world
  const prompt = [{ type: 'text', text: 'How old is the crane?' }]
  await agent.ask('initialize', { protocolVersion: 1, clientCapabilities: {} })
  const made = await agent.ask('session/new', { cwd, mcpServers: [] })
  const { sessionId } = made.result as { sessionId: string }
  const asking = (method: string, params: object) => ({ jsonrpc: '2.0', id: 7, method, params })
  const good: [weight: number, line: unknown][] = [
    [30, asking('initialize', { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: false } } })],
    [2, asking('session/new', { cwd, mcpServers: [] })],
    [4, asking('session/prompt', { sessionId, prompt })],
    [
      15,
      asking('session/prompt', {
        sessionId: 'nothing',
        prompt: [...prompt, { type: 'image', data: 'AA', mimeType: 'x' }],
      }),
    ],
    [20, { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } }],
    [20, asking('session/set_mode', { sessionId, modeId: 'plan' })],
    [20, asking('session/set_config_option', { sessionId, configId: 'effort', value: 'low' })],
    [1, asking('session/list', { cwd })],
    [
      1,
      asking('session/load', {
        sessionId: 'thr_0',
        cwd,
        mcpServers: [{ name: 'x', command: 'true', args: [], env: [] }],
      }),
    ],
    [10, asking('session/close', { sessionId: 'thr_0' })],
    [10, { jsonrpc: '2.0', id: 0, result: { outcome: { outcome: 'selected', optionId: 'allow_once' } } }],
    [10, { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 7 } }],
    [5, [asking('initialize', {})]],
  ]
  const weighted = good.flatMap(([weight, line]) => Array.from({ length: weight }, () => line))
  const random = createRandom(SEED)
  let warm = 0
  for (let sent = 0; sent < LINES; sent += BATCH) {
    for (let line = 0; line < BATCH; line++) agent.write(mutate(weighted[random(weighted.length)], random))
    await agent.ask('session/nothing', {})
    if (sent % 1_000 !== 0) continue
    // A mutated prompt may be at work, and be cancelled, or its session be closed.
    await until(async () => {
      agent.write(JSON.stringify({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } }))
      const { error, result } = await agent.ask('session/prompt', { sessionId, prompt })
      if (error?.code === -32002) await agent.ask('session/resume', { sessionId, cwd })
      return (result as { stopReason?: string } | undefined)?.stopReason === 'end_turn'
    })
    if (sent >= WARM && warm === 0) warm = agent.rssMb
    if (LINES > 1_000) console.log(sent, `${Math.round(agent.rssMb)} MB`, JSON.stringify([...agent.counts]))
  }
  assert.equal(agent.strange, [])
  assert.equal([...new Set(agent.internal)], [])
  assert.not.match(agent.err, /^\s+at .*[:(]\d+/m)
  if (warm > 0) assert.ok(agent.rssMb - warm < MOST_GROWTH_MB, `${warm} MB, then ${agent.rssMb} MB`)
  agent.child.stdin?.end()
  assert.is(await new Promise((resolve) => agent.child.on('close', resolve)), 0)
})

test.run()
