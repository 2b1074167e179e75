/**
 * What `svc acp` costs over the same run in process: CPU for a prompt, and for a piece of an answer.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/acp.ts [--rounds 5] [--prompts 50] [--pieces 4000]
 *
 * Both are processes of their own over one config, whose model says one word, or many one by one. They are asked in turns; a
 * figure is the median of the rounds.
 */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import * as acp from '@agentclientprotocol/sdk'
import { createClient } from '@svc/sdk'
import { argumentsFor } from '../.tools/launch.ts'
import { numbersOf, withQuartiles } from './measure.mjs'
import { toTable } from './table.mjs'

const SHORT = 'Say a short word.'
const LONG = 'Say a long text.'
/** Of the system's clock in `/proc`. */
const TICKS_PER_SECOND = 100

/** Asks once, in a conversation that goes on or a new one. @returns how many pieces came */
type Ask = (task: string, isNew: boolean) => Promise<number>

if (process.argv[2] === 'floor') await serveFloor()
else await measure()

/** The runs alone, with the pieces of their answers. */
async function serveFloor(): Promise<void> {
  const client = await createClient({ cwd: process.cwd(), trust: true })
  let thread = await client.threads.create()
  process.on('message', async ({ task, isNew }: { task: string; isNew: boolean }) => {
    if (isNew) thread = await client.threads.create()
    let pieces = 0
    for await (const _ of thread.stream(task).textStream) pieces++
    process.send?.({ pieces })
  })
  process.send?.({ ready: true })
}

async function measure(): Promise<void> {
  const { rounds = 5, prompts = 50, pieces = 4_000 } = numbersOf({ rounds: 5, prompts: 50, pieces: 4_000 })
  const cwd = mkdtempSync(join(tmpdir(), 'svc-acp-bench-'))
  mkdirSync(join(cwd, '.svc/plugins'), { recursive: true })
  writeFileSync(join(cwd, '.svc/plugins/model.mjs'), modelPlugin(pieces))
  writeFileSync(join(cwd, 'svc.config.json'), JSON.stringify({ model: 'scripted/words' }))
  const env = { ...process.env, HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'config'), SVC_DATA_DIR: join(cwd, 'data') }

  const execArgv = argumentsFor(new URL(import.meta.url)).slice(0, -1)
  const floor = fork(fileURLToPath(import.meta.url), ['floor'], { execArgv, cwd, env })
  await once(floor, 'message')
  const askFloor: Ask = async (task, isNew) => {
    floor.send({ task, isNew })
    const [{ pieces: said }] = (await once(floor, 'message')) as [{ pieces: number }]
    return said
  }

  const svc = argumentsFor(new URL('../cli/src/main.ts', import.meta.url))
  const agent = spawn(process.execPath, [...svc, 'acp', '--trust'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
  const stream = acp.ndJsonStream(
    Writable.toWeb(agent.stdin),
    Readable.toWeb(agent.stdout) as ReadableStream<Uint8Array>,
  )
  let said = 0
  const editor = acp.client().onNotification('session/update', ({ params: { update } }) => {
    if (update.sessionUpdate === 'agent_message_chunk') said++
  })
  const { agent: client } = editor.connect(stream)
  await client.request('initialize', { protocolVersion: acp.PROTOCOL_VERSION })
  let session = await client.request('session/new', { cwd, mcpServers: [] })
  const askAgent: Ask = async (task, isNew) => {
    if (isNew) session = await client.request('session/new', { cwd, mcpServers: [] })
    said = 0
    await client.request('session/prompt', { sessionId: session.sessionId, prompt: [{ type: 'text', text: task }] })
    return said
  }

  const both = [
    { name: 'runs in process', pid: floor.pid ?? 0, ask: askFloor, costs: [] as Cost[] },
    { name: 'svc acp', pid: agent.pid ?? 0, ask: askAgent, costs: [] as Cost[] },
  ]
  for (let round = -1; round < rounds; round++)
    for (const { pid, ask, costs } of both) {
      await ask(SHORT, true)
      const short = await costOf(pid, prompts, () => ask(SHORT, false))
      let last = 0
      await ask(SHORT, true)
      const long = await costOf(pid, 4, async () => {
        last = await ask(LONG, false)
      })
      if (round >= 0) costs.push({ short, piece: (long - short) / Math.max(1, last), pieces: last })
    }
  console.log(
    toTable(
      ['', 'a prompt, us', 'a piece, us', 'pieces'],
      both.map(({ name, costs }) => [
        name,
        withQuartiles(costs.map(({ short }) => short)),
        withQuartiles(costs.map(({ piece }) => piece)),
        String(costs.at(-1)?.pieces ?? 0),
      ]),
    ).join('\n'),
  )
  floor.kill()
  agent.stdin.end()
  await once(agent, 'close')
  rmSync(cwd, { recursive: true, force: true })
}

interface Cost {
  /** Microseconds. */
  short: number
  piece: number
  pieces: number
}

/** Microseconds of a process's CPU for each of some calls. */
async function costOf(pid: number, count: number, call: () => Promise<unknown>): Promise<number> {
  const before = cpuOf(pid)
  for (let index = 0; index < count; index++) await call()
  return (cpuOf(pid) - before) / count
}

function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1e6) / TICKS_PER_SECOND
}

function modelPlugin(pieces: number): string {
  return `
const usage = { inputTokens: 10, outputTokens: 10 }
export default {
  name: 'words',
  apply({ providers }) {
    providers.add('scripted', {
      id: 'scripted',
      defaultModel: 'words',
      models: async () => [{ id: 'words', context: 1_000_000 }],
      async *generate({ messages }) {
        const { content } = messages.at(-1)
        if (!JSON.stringify(content).includes('long')) yield { type: 'text', text: 'Short.' }
        else for (let index = 0; index < ${pieces}; index++) {
          yield { type: 'text', text: 'word' + (index % 10) + ' ' }
          if (index % 8 === 7) await new Promise((resolve) => setImmediate(resolve))
        }
        yield { type: 'finish', finishReason: 'stop', usage }
      },
    })
  },
}
`
}
