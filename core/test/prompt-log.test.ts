import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { promptOf } from '../src/client.ts'
import type { Message, ModelRequest, Plugin, PromptMessage, RunContext, RunEvent } from '../src/index.ts'
import { createMemoryStore, definePlugin, ProviderError, textMessage } from '../src/index.ts'
import { toFullText } from '../src/text/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { ended, expire, model, start, tool, toolbox, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('prompts in the log')

/** What a request says, as a person reads it. */
const read = ({ messages }: ModelRequest): PromptMessage[] =>
  messages.map(({ role, content, toolCallId, toolCalls }) => ({
    role,
    text: toFullText(content),
    ...(toolCallId !== undefined && { callId: toolCallId }),
    ...(toolCalls !== undefined && { toolCalls }),
  }))

const TURNS = [
  'ask',
  'ask',
  'again',
  'tool',
  'cutTool',
  'failingTool',
  'say',
  'summary',
  'copy',
  'mask',
  'answer',
] as const

/** A conversation of one agent, turn by turn. Ids of tool calls are used again, as some providers do. */
async function talk(run: RunContext, agentId: string, turns: readonly (typeof TURNS)[number][]): Promise<void> {
  let messages: Message[] = [textMessage('system', `You are ${agentId}.`), textMessage('user', 'Begin.')]
  for (const [index, turn] of turns.entries()) {
    const key = `${agentId}/${index}`
    if (turn === 'say') messages = [...messages, textMessage('user', `note ${index % 3}`)]
    else if (turn === 'copy') messages = structuredClone(messages)
    else if (turn === 'summary')
      messages = [messages[0] as Message, textMessage('user', 'summed up'), ...messages.slice(3)]
    else if (turn === 'mask')
      messages = messages.map((message) =>
        message.role === 'tool' ? { ...message, content: [{ type: 'text' as const, text: '[omitted]' }] } : message,
      )
    else if (turn === 'answer') messages = [...messages, textMessage('assistant', 'never said')]
    else {
      const answer = await run.model({ key, agentId, stepId: agentId, model: '', messages, stream: index % 2 === 0 })
      if (turn === 'again') continue
      const said: Message = {
        role: 'assistant',
        content: answer.text === '' ? [] : [{ type: 'text', text: answer.text }],
      }
      if (answer.toolCalls.length > 0) said.toolCalls = answer.toolCalls
      if (turn === 'ask') {
        messages = [...messages, said]
        continue
      }
      const callId = `c${index % 2}`
      const id = turn === 'failingTool' ? 'fails' : 'looks'
      const call = { callId, tool: id, args: {} }
      const found = await run.tool({ ...call, key: `${key}/tool`, agentId, stepId: agentId })
      const more = turn === 'cutTool' ? [{ type: 'text' as const, text: '[truncated]' }] : []
      messages = [
        ...messages,
        { ...said, toolCalls: said.toolCalls ?? [call] },
        { role: 'tool', toolCallId: callId, content: [...found.content, ...more] },
      ]
    }
  }
}

const talks = fc.array(fc.array(fc.constantFrom(...TURNS), { maxLength: 14 }), { minLength: 1, maxLength: 3 })

test('whatever agents say, the log gives back exactly what each model call was sent', async () => {
  await fc.assert(
    fc.asyncProperty(talks, fc.nat({ max: 3 }), async (all, failing) => {
      const sent = new Map<string, PromptMessage[][]>()
      const failed = new Set<string>()
      let looks = 0
      const script = (request: ModelRequest, index: number) => {
        const [{ text } = { text: '' }] = read(request)
        const earlier = sent.get(text) ?? []
        const name = `${text} ${earlier.length}`
        // Agents at once take turns as they like: each call fails once at most, as one that fails for good ends the run.
        if (failing > 0 && index % (failing + 2) === 1 && !failed.has(name)) {
          failed.add(name)
          return { error: new ProviderError('provider_unavailable', 'away', { provider: 'x', retryAfterMs: 0 }) }
        }
        sent.set(text, [...earlier, read(request)])
        if (index % 3 === 0)
          return { text: '', toolCalls: [{ callId: `c${index % 2}`, tool: 'looks', args: { index } }] }
        return index % 4 === 0 ? '' : `answer ${index % 3}`
      }
      const runtime = await start([
        tiny({
          execute: async (run) => {
            await Promise.all(all.map((turns, index) => talk(run, `agent-${index}`, turns)))
            return execution('done')
          },
        }),
        model(script),
        toolbox(
          tool('looks', async () => (++looks % 3 === 0 ? { found: looks % 2 } : `seen ${looks % 2}`)),
          tool('fails', async () => Promise.reject(new Error('broken'))),
        ),
      ])
      const { id } = await runtime.runs.create({ task: 'x' })
      await ended(runtime, id)
      assert.is((await runtime.runs.get(id)).status, 'completed')
      const events: RunEvent[] = []
      for await (const event of runtime.runs.events(id)) events.push(event)
      for (const index of all.keys()) {
        const agentId = `agent-${index}`
        const seqs = events.flatMap((event) =>
          event.type === 'model.started' && event.agentId === agentId ? [event.seq ?? 0] : [],
        )
        assert.equal(
          seqs.map((seq) => promptOf(events, seq)),
          sent.get(`You are ${agentId}.`) ?? [],
        )
      }
      await runtime.close()
    }),
    { numRuns: 60 },
  )
})

const promptsOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'model.started' ? [event.data.prompt] : []))

/** A run that asks so often, and uses a tool in between; it may be cut off after some calls, once. */
const asking = (calls: number, onCall: (n: number, runId: string) => unknown = () => false): Plugin =>
  tiny({
    execute: async (run) => {
      let messages = [textMessage('system', 'You help.'), textMessage('user', 'Begin.')]
      for (let n = 1; n <= calls; n++) {
        const at = { agentId: 'agent-1', stepId: 'step-1' }
        const answer = await run.model({ key: `m${n}`, ...at, model: '', messages, stream: false })
        const found = await run.tool({ key: `t${n}`, ...at, callId: 'c', tool: 'looks', args: {} })
        if (await onCall(n, run.id)) return new Promise(() => {})
        messages = [
          ...messages,
          { ...textMessage('assistant', answer.text), toolCalls: answer.toolCalls },
          { role: 'tool', toolCallId: 'c', content: found.content },
        ]
      }
      return execution('done')
    },
  })

const looking = (result: string): Plugin => toolbox(tool('looks', async () => result))
const calling = () => ({ text: 'I look.', toolCalls: [{ callId: 'c', tool: 'looks', args: {} }] })

test('a message stands in the log once, also in a run that was cut off and recovered', async () => {
  const store = createMemoryStore()
  const mortal = faultyStore(store)
  let isCut = false
  const act = asking(6, async (n, runId) => {
    if (isCut || n !== 3) return false
    await until(async () => (await store.steps(runId)).some(({ key, state }) => key === 't3' && state === 'done'))
    isCut = true
    mortal.faults.die()
    return true
  })
  const result = 'a long result '.repeat(100)
  const first = await start([act, model(calling), looking(result)], { store: mortal.store })
  const { id } = await first.runs.create({ task: 'x' })
  await until(() => isCut)
  await expire(store, id)
  const sent: PromptMessage[][] = []
  const noting = (request: ModelRequest) => {
    sent.push(read(request))
    return calling()
  }
  const second = await start([act, model(noting), looking(result)], { store })
  await ended(second, id)
  const events = await store.events.list(id)
  assert.ok(events.some(({ type }) => type === 'run.recovered'))
  // The call whose answer had just come is made again, and its prompt refers to the same messages.
  const prompts = promptsOf(events).filter((prompt, at, all) => prompt?.from !== all[at - 1]?.from)
  assert.equal(
    prompts.map((prompt) => [prompt?.from, prompt?.messages.map(({ text }) => text)]),
    [0, 2, 4, 6, 8, 10].map((from) => [from, from === 0 ? ['You help.', 'Begin.'] : [undefined, undefined]]),
  )
  const last = events.findLast(({ type }) => type === 'model.completed')
  const whole = promptOf(events, last?.seq ?? 0) ?? []
  assert.is(whole.length, 12)
  assert.equal(whole.at(-1), { role: 'tool', text: result, callId: 'c' })
  assert.equal(whole, sent.at(-1))
  assert.is((await second.runs.replay(id)).identical, true)

  const fork = await second.runs.fork(id, { atSeq: (last?.seq ?? 0) - 20 })
  await ended(second, fork.id)
  const forked = await store.events.list(fork.id)
  const at = forked.findLast(({ type }) => type === 'model.started')?.seq ?? 0
  assert.equal(promptOf(forked, at), whole)
  await second.close()
})

test('a prompt shows what hooks made of it, images in words and no secret', async () => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const amend = definePlugin('amend', ({ hooks }) => {
    hooks.modelRequest.tap('amend', (_changed, request) => ({
      ...request,
      messages: [...request.messages, textMessage('user', 'the key is sesame-open-1234')],
    }))
  })()
  const act = tiny({
    execute: async (run) => {
      const content = [
        { type: 'text' as const, text: 'What is this?' },
        { type: 'image' as const, mimeType: 'image/png', data: png, name: 'dot.png' },
      ]
      const outputSchema = { type: 'object' }
      const messages: Message[] = [{ role: 'user', content }]
      await run.model({ key: 'm', agentId: 'agent-1', model: '', messages, stream: false, outputSchema })
      return execution('done')
    },
  })
  const runtime = await start([act, amend, model(() => '{}')], {
    redact: (text) => text.replaceAll('sesame-open-1234', '[redacted]'),
  })
  const { id } = await runtime.runs.create({ task: 'x' })
  await ended(runtime, id)
  const events: RunEvent[] = []
  for await (const event of runtime.runs.events(id)) events.push(event)
  const started = events.find((event) => event.type === 'model.started')
  assert.is(started?.type === 'model.started' && started.data.params.outputSchema, true)
  assert.equal(promptOf(events, started?.seq ?? 0), [
    { role: 'user', text: 'What is this?\n[image dot.png, 70 bytes, 1x1]' },
    { role: 'user', text: 'the key is [redacted]' },
  ])
  assert.not.match(JSON.stringify(events), /iVBORw0KGgo/)
  assert.is(promptOf(events, 1), undefined)
  await runtime.close()
})

test.run()
