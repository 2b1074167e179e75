/** What a reader puts together from the pieces of an answer is the answer, whatever it missed. */
import type { RunEvent } from '@svc/core'
import { AnswerText, createAnswerEvents, isEphemeral } from '@svc/core/client'
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { createDrafts, type Drafts, type Turn } from './fixtures/drafts.ts'
import { type OpenServer, openServer, serverSuite } from './fixtures/open-server.ts'
import { allFrames, readFrames } from './fixtures/read-stream.ts'
import { createGate } from './fixtures/until.ts'

const test = serverSuite('streams of answers')

const SSE = { accept: 'text/event-stream' }
const TASK = { task: 'Say something about cranes.', topology: 'SINGLE' }

/** How a client in any language puts the answer together. */
function fold(text: string, event: RunEvent): string {
  if (event.type === 'message.delta') return text + event.data.text
  if (event.type === 'message.reset') return ''
  return event.type === 'message.snapshot' ? event.data.textSoFar : text
}

async function open(): Promise<{ world: OpenServer; drafts: Drafts }> {
  const drafts = createDrafts()
  const config = { model: 'drafts/drafts', server: { limits: { payloadBytes: 4_096 } } }
  return { drafts, world: await openServer({ plugins: [drafts.plugin], config }) }
}

const start = async ({ ask }: OpenServer): Promise<string> =>
  String((await ask('POST', '/v1/runs', { body: TASK })).json.id)

const answerOf = async ({ runtime }: OpenServer, id: string): Promise<string> => {
  const { result, status } = await runtime.runs.wait(id)
  assert.is(status, 'completed')
  return (result as { summary: string }).summary
}

/** Plays, to a reader that has the first piece before the second is said. @returns what it was sent */
async function readLive(turns: readonly Turn[]): Promise<{ events: RunEvent[]; answer: string }> {
  const { world, drafts } = await open()
  const heard = createGate()
  let pieces = 0
  drafts.pause = () => (++pieces === 2 ? heard.passed : undefined)
  drafts.play(turns)
  const id = await start(world)
  const events: RunEvent[] = []
  for await (const { data, event } of readFrames(await fetch(`${world.url}/v1/runs/${id}/events`, { headers: SSE }))) {
    if (event === 'end' || data?.type === undefined) continue
    events.push(data)
    if (data.type === 'message.delta' || data.type === 'message.snapshot') heard.open()
  }
  return { events, answer: await answerOf(world, id) }
}

test('a draft that was rejected is taken back before the next one is said', async () => {
  const turns: Turn[] = [{ pieces: ['It ', 'is wrong.'], next: 'better' }, { pieces: ['It ', 'is right.'] }]
  const { events, answer } = await readLive(turns)
  let text = ''
  const seen: string[] = []
  for (const event of events) {
    const before = text
    text = fold(text, event)
    if (event.type === 'message.reset') seen.push(event.data.reason)
    else if (text !== before) seen.push(text)
  }
  assert.equal(seen, ['It ', 'It is wrong.', 'retry', 'It ', 'It is right.'])
  assert.is(text, answer)
})

test('what is said before a tool is called is no part of the answer, and the first answer stands where the second is worse', async () => {
  const { events, answer } = await readLive([
    { pieces: ['I shall ', 'look.'], calls: true },
    { pieces: ['It is fine.'], next: 'worse' },
    { pieces: ['It is worse.'] },
  ])
  assert.equal(
    events.flatMap((event) => (event.type === 'message.reset' ? event.data.reason : [])),
    ['tool_call', 'retry'],
  )
  assert.is(events.reduce(fold, ''), 'It is fine.')
  assert.is(answer, 'It is fine.')
  assert.is(events.at(-2)?.type, 'message.snapshot')
})

test('who comes when all is over, or just before the last event, gets the answer; who asks for no pieces gets none', async () => {
  const { world, drafts } = await open()
  const long = Array.from({ length: 3_000 }, (_, index) => `é😀 ${index} `)
  drafts.play([{ pieces: long }])
  const id = await start(world)
  const answer = await answerOf(world, id)
  const { lastSeq } = await world.runtime.runs.get(id)
  const url = `${world.url}/v1/runs/${id}/events`
  for (const after of [0, 1, lastSeq - 1]) {
    const frames = await allFrames(await fetch(url, { headers: { ...SSE, 'last-event-id': String(after) } }))
    const events = frames.flatMap(({ data, event }) => (data?.type && event !== 'end' ? [data] : []))
    assert.is(events.reduce(fold, ''), answer, `after ${after}`)
  }
  const kept = await allFrames(await fetch(`${url}?deltas=0`, { headers: SSE }))
  assert.not.ok(kept.some(({ data }) => data?.type !== undefined && isEphemeral(data.type)))
})

const words = fc.array(fc.constantFrom('a ', 'b ', 'crane ', 'é', '😀', '\n', 'It is fine. '), {
  minLength: 1,
  maxLength: 8,
})
const said = words.map((pieces) => ['It is: ', ...pieces, '.'])
const looks = fc.array(
  said.map((pieces): Turn => ({ pieces, calls: true })),
  { maxLength: 2 },
)
const plays = fc
  .tuple(
    looks,
    said,
    looks,
    fc.option(fc.tuple(said, fc.constantFrom('better' as const, 'worse' as const)), { nil: undefined }),
  )
  .map(([before, first, between, retry]): Turn[] =>
    retry === undefined
      ? [...before, { pieces: first }]
      : [...before, { pieces: first, next: retry[1] }, ...between, { pieces: retry[0] }],
  )

test('whatever is drafted, and wherever its reader is cut and comes back, what it puts together is the answer', async () => {
  const { world, drafts } = await open()
  await fc.assert(
    fc.asyncProperty(plays, fc.array(fc.nat(12), { maxLength: 4 }), async (turns, cuts) => {
      const begun = createGate()
      drafts.pause = () => begun.passed
      drafts.play(turns)
      const id = await start(world)
      let text = ''
      let last = 0
      const answer = new AnswerText()
      const read = async (most: number): Promise<boolean> => {
        const leaving = new AbortController()
        const headers = { ...SSE, ...(last > 0 && { 'last-event-id': String(last) }) }
        const response = await fetch(`${world.url}/v1/runs/${id}/events`, { headers, signal: leaving.signal })
        begun.open()
        if (response.status === 204) return true
        let count = 0
        for await (const { data, event, id: seq } of readFrames(response)) {
          if (event === 'end') return true
          if (data?.type === undefined) continue
          text = fold(text, data)
          answer.apply(data)
          last = seq ?? last
          if (++count >= most) break
        }
        leaving.abort()
        return false
      }
      for (const most of cuts) if (await read(most + 1)) break
      while (!(await read(Number.POSITIVE_INFINITY)));
      const { result } = await world.runtime.runs.wait(id)
      assert.is(text, (result as { summary: string }).summary)
      assert.is(answer.text, text)
    }),
    { numRuns: 25 },
  )
})

test('whichever pieces are lost, the answer is whole after each message, and at the end', () => {
  const losses = fc.array(fc.boolean(), { minLength: 80, maxLength: 80 })
  fc.assert(
    fc.property(plays, losses, (turns, lost) => {
      const { events, answer } = logOf(turns)
      const toShown = createAnswerEvents(['run_1'])
      const shown = events.flatMap(toShown)
      const text = new AnswerText()
      let naive = ''
      let standing = ''
      for (const [index, event] of shown.entries()) {
        const isPiece = isEphemeral(event.type) && event.type !== 'message.reset' && event.callId !== undefined
        if (isPiece && lost[index % lost.length]) continue
        naive = fold(naive, event)
        const change = text.apply(event)
        standing = change?.isWhole ? change.text : standing + (change?.text ?? '')
        assert.is(standing, text.text)
        if (event.type === 'message.completed') assert.is(text.text, (event.data.content[0] as { text: string }).text)
      }
      assert.is(text.text, answer)
      assert.is(naive, answer)
    }),
    { numRuns: 300 },
  )
})

/** The log of a run of these turns, with its pieces. */
function logOf(turns: readonly Turn[]): { events: RunEvent[]; answer: string } {
  const events: RunEvent[] = []
  let seq = 0
  const add = (type: RunEvent['type'], data: object, place: object = {}): void => {
    const number = isEphemeral(type) ? {} : { seq: ++seq }
    events.push({ v: 1, ...number, type, time: '', runId: 'run_1', ...place, data } as unknown as RunEvent)
  }
  let answer = ''
  let first: string | undefined
  for (const [index, { pieces, calls, next }] of turns.entries()) {
    const place = { stage: 'execute', stepId: 'step-1', agentId: 'agent-1', callId: `call-${index}` }
    const text = pieces.join('')
    for (const piece of pieces) add('message.delta', { text: piece }, place)
    add('model.completed', {}, place)
    add('message.completed', { role: 'assistant', content: [{ type: 'text', text }] }, place)
    if (calls) add('tool.requested', {}, { ...place, callId: `tool-${index}` })
    else answer = text
    if (next !== undefined) add('step.retrying', {}, { stepId: 'step-1', agentId: 'agent-1' })
    if (next === 'worse') first = text
  }
  answer = first ?? answer
  add('run.completed', { result: { verdict: 'pass', summary: answer } })
  return { events, answer }
}

test.run()
