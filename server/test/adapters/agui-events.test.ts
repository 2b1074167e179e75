/** Whatever a run does, in whatever order: what a page is shown of it fits the protocol. */
import { type BaseEvent, enforceEvents, runHttpRequest, transformHttpEventStream, verifyEvents } from '@ag-ui/client'
import type { Run, RunEvent } from '@svc/core'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RunEvents } from '../../src/adapters/agui/run-events.ts'

const test = suite('events of a run for a page')
const RUN = 'run_01ARZ3NDEKTSV4RRFFQ69G5FAV'
const CALL = 'call_01ARZ3NDEKTSV4RRFFQ69G5FAV_0123456'

const few = (name: string) => fc.integer({ min: 1, max: 3 }).map((count) => `${name}-${count}`)
const text = fc.constantFrom('', 'a', 'ab', 'The answer', ' is 42.', '\f', '𝛑')
const error = { code: 'tool_failed', message: 'no', retryable: false }
const executed = (summary: string) => ({ result: { verdict: 'pass', summary, artifacts: [] } })

/** Events with what the page is shown of them; where they stand in a run is for the samples to say. */
const data: fc.Arbitrary<[type: string, data: object]> = fc.oneof(
  text.map((said): [string, object] => ['message.delta', { text: said }]),
  text.map((said): [string, object] => ['reasoning.delta', { text: said }]),
  text.map((said): [string, object] => ['message.snapshot', { textSoFar: said }]),
  fc
    .constantFrom('retry', 'tool_call', 'model_failed')
    .map((reason): [string, object] => ['message.reset', { reason }]),
  text.map((said): [string, object] => [
    'message.completed',
    { role: 'assistant', content: [{ type: 'text', text: said }] },
  ]),
  fc
    .tuple(fc.constantFrom('look', 'client.paint'), fc.jsonValue())
    .map(([tool, args]): [string, object] => ['tool.requested', { tool, args }]),
  text.map((result): [string, object] => ['tool.completed', { tool: 'look', result }]),
  fc.constantFrom<[string, object]>(
    ['tool.failed', { error }],
    ['tool.denied', { rule: 'r', reason: 'no', note: 'not today' }],
    ['step.started', { objective: 'look', dependsOn: [] }],
    ['step.completed', { output: '' }],
    ['step.failed', { error }],
    ['step.skipped', { why: 'no' }],
    ['step.retrying', { tries: 2, delayMs: 0 }],
    ['plan.created', { steps: [{ id: 'step-1' }, { id: 'step-2' }] }],
    ['plan.revised', { reason: 'no', plan: { steps: [{ id: 'step-1' }] } }],
    ['model.started', {}],
    ['model.completed', {}],
    ['model.failed', { error }],
    ['model.retrying', { tries: 2, delayMs: 0, cause: error }],
    ['run.resumed', { by: 'user' }],
    ['run.waiting', { reason: 'input', input: { prompt: 'Which?' } }],
  ),
  fc.integer({ min: 0, max: 3 }).map((count): [string, object] => {
    const call = { id: `${CALL}${count}`, agentId: 'agent-1', callId: 'call-1', tool: 'paint', args: {} }
    return ['run.waiting', { reason: 'tool_call', calls: [call] }]
  }),
)

const KEPT = /^(message\.(delta|reset|snapshot)|reasoning\.delta)$/

const sequence = fc
  .array(
    fc.record({
      of: data,
      stepId: few('step'),
      agentId: few('agent'),
      callId: few('call'),
      stage: fc.constantFrom('execute', 'execute', 'execute', 'plan', undefined),
    }),
    { maxLength: 60 },
  )
  .map((list) =>
    list.map(({ of: [type, of], ...place }, at) => {
      const seq = KEPT.test(type) ? {} : { seq: at + 1 }
      return {
        v: 1,
        time: '2026-01-01T00:00:00.000Z',
        runId: RUN,
        ...place,
        ...seq,
        type,
        data: of,
      } as unknown as RunEvent
    }),
  )

const approval = {
  id: 'apr_1',
  runId: RUN,
  agentId: 'agent-1',
  callId: 'call-1',
  tool: 'look',
  args: {},
  risk: 'network',
  reason: 'rule',
  preview: '',
  taint: [],
  expiresAt: '2026-01-01T00:00:00.000Z',
  status: 'pending',
}
const calls = [{ id: `${CALL}0`, agentId: 'agent-1', callId: 'call-1', tool: 'paint', args: {} }]

const end = fc.constantFrom<Partial<Run>[]>(
  { status: 'completed', verdict: 'pass', ...(executed('The answer') as object) },
  { status: 'incomplete', incomplete: { reason: 'not_verified' } },
  { status: 'failed', error } as Partial<Run>,
  { status: 'failed' },
  { status: 'cancelled' },
  { status: 'running' },
  { status: 'waiting', waiting: { approvals: [approval] } } as unknown as Partial<Run>,
  { status: 'waiting', waiting: { input: { prompt: 'Which?', schema: { enum: ['a'] } } } } as unknown as Partial<Run>,
  { status: 'waiting', waiting: { calls } },
  { status: 'waiting', waiting: { calls, approvals: [approval] } } as unknown as Partial<Run>,
)

const toRun = (more: Partial<Run>): Run =>
  ({
    id: RUN,
    status: 'running',
    usage: { inputTokens: 1, outputTokens: 2 },
    costUsd: null,
    agents: [],
    ...more,
  }) as unknown as Run

/** What the page gets, as its client reads it: each event by its schema, all by their order. */
function check(events: readonly BaseEvent[]): Promise<BaseEvent[]> {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const answer = new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const taken: BaseEvent[] = []
  return new Promise((resolve, reject) => {
    transformHttpEventStream(runHttpRequest(async () => answer))
      .pipe(enforceEvents(), verifyEvents())
      .subscribe({ next: (event) => taken.push(event), error: reject, complete: () => resolve(taken) })
  })
}

test('events that come in any order, cut anywhere, make a stream that the verifier of the client takes', async () => {
  await fc.assert(
    fc.asyncProperty(sequence, end, fc.nat(30), fc.boolean(), async (events, last, cut, isLost) => {
      const sent: BaseEvent[] = []
      const from = cut > 15 ? 0 : cut
      const options = {
        threadId: 't',
        runId: 'r',
        from,
        state: { own: 1 },
        send: (event: object) => void sent.push(event as BaseEvent),
      }
      const shown = new RunEvents({ id: RUN }, options)
      shown.start(toRun({}))
      for (const event of events) shown.apply(event)
      if (isLost) shown.fail('lost', 'internal_error')
      else shown.end(toRun(last))
      const taken = await check(sent)
      assert.is(taken.length, sent.length)
      assert.ok(['RUN_FINISHED', 'RUN_ERROR'].includes(String(taken.at(-1)?.type)))
    }),
    { numRuns: process.env.SVC_NIGHTLY === '1' ? 20_000 : 500 },
  )
})

test('the texts of a stream end with the answer of the run', async () => {
  await fc.assert(
    fc.asyncProperty(sequence, fc.constantFrom('The answer', 'ab', 'a'), async (events, summary) => {
      const sent: { type: string; messageId?: string; delta?: string }[] = []
      const options = {
        threadId: 't',
        runId: 'r',
        from: 0,
        state: {},
        send: (event: object) => void sent.push(event as never),
      }
      const shown = new RunEvents({ id: RUN }, options)
      shown.start(toRun({}))
      const last = {
        v: 1,
        seq: 100,
        time: '',
        runId: RUN,
        type: 'run.completed',
        data: executed(summary),
      } as unknown as RunEvent
      for (const event of [...events, last]) shown.apply(event)
      shown.end(toRun({ status: 'completed' }))
      const said = sent.filter(({ type }) => type === 'TEXT_MESSAGE_CONTENT')
      const id = said.at(-1)?.messageId
      assert.is(
        said
          .filter(({ messageId }) => messageId === id)
          .map(({ delta }) => delta)
          .join(''),
        summary,
      )
    }),
  )
})

test.run()
