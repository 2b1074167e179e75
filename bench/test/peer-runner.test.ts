import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tasks as shared } from '../overhead-tasks.mjs'
import { create, type Runner, type Tasks } from '../peer-runner.mjs'

interface WireMessage {
  role: string
  content: string | null
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
}
interface Body {
  stream?: boolean
  messages: WireMessage[]
  tools?: { function: { name: string } }[]
}

const KEYS = Array.from({ length: 8 }, (_, id) => shared.key(id))
const toolArgs: string[] = []
const tasks: Tasks = {
  ...shared,
  single: {
    ...shared.single,
    system: `${shared.single.system}\n  Keep this line as it is: {braces} "quotes" {{step-9}}.`,
  },
  tool: {
    ...shared.tool,
    run: async ({ key }: { key: string }) => {
      toolArgs.push(key)
      return `value of ${key}`
    },
  },
}

const bodies: Body[] = []
let open = 0
let mostOpen = 0
/** So many calls are let in before the first tool call is answered; a caller that makes fewer at once waits for nothing. */
let together = 1

const textOf = (messages: WireMessage[], role: string): string =>
  messages.find((message) => message.role === role)?.content ?? ''

/** What a model that does exactly what the task says would answer. */
function reply({ messages }: Body): WireMessage {
  const [system, user] = [textOf(messages, 'system'), textOf(messages, 'user')]
  const content = (text: string): WireMessage => ({ role: 'assistant', content: text })
  if (system === tasks.single.system) {
    const result = messages.find(({ role }) => role === 'tool')
    if (result !== undefined) return content(`Found: ${result.content}`)
    const key = /key (\w+)/.exec(user)?.[1] ?? ''
    const call = {
      id: `call_${key}`,
      type: 'function',
      function: { name: tasks.tool.name, arguments: JSON.stringify({ key }) },
    }
    return { role: 'assistant', content: null, tool_calls: [call] }
  }
  if (system === tasks.plan.system) return content(KEYS.join(' '))
  if (system === tasks.synth.system) return content(`merged: ${user}`)
  if (system === tasks.streamer.system) return content('one two three four five')
  return content(`${/stage (\d)/.exec(system)?.[1]}<${user.replace('Work on this: ', '')}>`)
}

async function read(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as Body
}

const server = createServer((request, response) => {
  void (async () => {
    const body = await read(request)
    bodies.push(body)
    mostOpen = Math.max(mostOpen, ++open)
    const message = reply(body)
    while (message.tool_calls !== undefined && mostOpen < together) await sleep(10)
    await sleep(30)
    open--
    const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 }
    const finish_reason = message.tool_calls === undefined ? 'stop' : 'tool_calls'
    const shared = { id: 'x', created: 1, model: 'mock' }
    if (body.stream !== true) {
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          ...shared,
          object: 'chat.completion',
          choices: [{ index: 0, message, finish_reason }],
          usage,
        }),
      )
      return
    }
    response.setHeader('content-type', 'text/event-stream')
    const send = (choices: unknown[], more = {}): void => {
      response.write(`data: ${JSON.stringify({ ...shared, object: 'chat.completion.chunk', choices, ...more })}\n\n`)
    }
    for (const word of (message.content ?? '').match(/\S+\s*/g) ?? []) send([{ index: 0, delta: { content: word } }])
    const calls = message.tool_calls?.map((call, index) => ({ index, ...call }))
    if (calls !== undefined) send([{ index: 0, delta: { tool_calls: calls } }])
    send([{ index: 0, delta: {}, finish_reason }])
    send([], { usage })
    response.end('data: [DONE]\n\n')
  })()
})

const peer = suite<{ runner: Runner }>('peer runner')

peer.before(async (context) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  context.runner = await create({
    baseURL: `http://127.0.0.1:${port}/v1`,
    apiKey: 'key',
    model: 'mock',
    variant: 'plain',
    tasks,
    env: {},
  })
})

peer.after(async ({ runner }) => {
  await runner.close()
  server.close()
})

peer.before.each(() => {
  bodies.length = 0
  toolArgs.length = 0
  mostOpen = 0
  together = 1
})

const prompts = (): string[][] => bodies.map(({ messages }) => [textOf(messages, 'system'), textOf(messages, 'user')])

peer(
  'answers the single task in two calls, with the prompts word for word and the tool called once',
  async ({ runner }) => {
    for (const id of [0, 1, 2]) {
      bodies.length = 0
      const key = KEYS[id] ?? ''
      assert.is(await runner.single(id), `Found: value of ${key}`)
      assert.is(bodies.length, 2)
      for (const prompt of prompts()) assert.equal(prompt, [tasks.single.system, tasks.single.user(key)])
      for (const { tools } of bodies)
        assert.equal(
          tools?.map(({ function: { name } }) => name),
          [tasks.tool.name],
        )
      assert.equal(
        bodies[1]?.messages.map(({ role }) => role),
        ['system', 'user', 'assistant', 'tool'],
      )
    }
    assert.equal(toolArgs, KEYS.slice(0, 3))
  },
)

peer(
  'fans out in eighteen calls, eight at once, and merges what the eight found in their order',
  async ({ runner }) => {
    together = 8
    const text = await runner.fanout(7)
    const results = KEYS.map((key) => `Found: value of ${key}`)
    const request = tasks.synth.user(7, results)
    assert.is(text, `merged: ${request}`)
    assert.is(bodies.length, 18)
    assert.equal(prompts()[0], [tasks.plan.system, tasks.plan.user(7)])
    assert.equal(prompts()[17], [tasks.synth.system, request])
    assert.equal(bodies[17]?.messages.length, 2)
    const working = prompts().slice(1, 17)
    for (const key of KEYS) {
      const own = working.filter(([, user]) => user === tasks.single.user(key))
      assert.is(own.length, 2)
      for (const [system] of own) assert.is(system, tasks.single.system)
    }
    assert.equal([...toolArgs].sort(), KEYS)
    assert.is(mostOpen, 8)
  },
)

peer('chains five calls, each on what the one before wrote', async ({ runner }) => {
  assert.is(await runner.chain(3), `5<4<3<2<1<${tasks.stage.seed(3)}>>>>>`)
  assert.is(bodies.length, tasks.CHAIN)
  let previous = tasks.stage.seed(3)
  for (const [index, prompt] of prompts().entries()) {
    const k = index + 1
    assert.equal(prompt, [tasks.stage.system(k), tasks.stage.user(previous)])
    assert.is(bodies[index]?.tools, undefined)
    previous = `${k}<${previous}>`
  }
})

peer('hands over a streamed answer piece by piece in one call', async ({ runner }) => {
  const pieces: string[] = []
  const text = await runner.stream(1, 5, (piece) => pieces.push(piece))
  assert.is(text, 'one two three four five')
  assert.is(pieces.join(''), text)
  assert.ok(pieces.length > 1, `only ${pieces.length} piece`)
  assert.is(bodies.length, 1)
  assert.is(bodies[0]?.stream, true)
  assert.equal(prompts(), [[tasks.streamer.system, tasks.streamer.user(1, 5)]])
})

peer('keeps many tasks under way at once apart from one another', async ({ runner }) => {
  together = 9
  const texts = await Promise.all(Array.from({ length: 20 }, (_, id) => runner.single(id)))
  assert.equal(
    texts,
    texts.map((_, id) => `Found: value of ${tasks.key(id)}`),
  )
  assert.is(bodies.length, 40)
  assert.ok(mostOpen > 8, `only ${mostOpen} at once`)
})

peer('does the same with its runs in a file', async () => {
  const { port } = server.address() as AddressInfo
  const workDir = mkdtempSync(join(tmpdir(), 'svc-peer-test-'))
  const place = { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'key', model: 'mock', workDir, tasks, env: {} }
  const runner = await create({ ...place, variant: 'sqlite' })
  try {
    assert.is(await runner.single(1), `Found: value of ${tasks.key(1)}`)
    assert.is(await runner.chain(3), `5<4<3<2<1<${tasks.stage.seed(3)}>>>>>`)
    assert.is(bodies.length, 2 + tasks.CHAIN)
    const [dir = ''] = readdirSync(workDir)
    assert.ok(existsSync(join(workDir, dir, 'svc.db')))
  } finally {
    await runner.close()
    rmSync(workDir, { recursive: true, force: true })
  }
  const message = await create({ ...place, variant: 'pg' }).then(
    () => 'made',
    (error: Error) => error.message,
  )
  assert.match(message, /env.BENCH_PG/)
})

peer.run()
