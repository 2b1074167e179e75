import { definePlugin, type ExecutionResult, type RunEvent } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'
import { resultOf } from './fixtures/runs.ts'

const test = suite('soft budget of an agent')

/** A model that looks things up for as long as it may, at a thousand tokens a call. */
async function curious(
  tokenBudget: number,
): Promise<{ result: ExecutionResult; events: RunEvent[]; choices: unknown[] }> {
  const provider = scriptedProvider('scripted', (request) => ({
    ...(request.toolChoice === 'none' || request.tools === undefined
      ? { text: 'Oslo has about 700,000 inhabitants.' }
      : { toolCalls: [{ tool: 'lookup', args: { page: request.messages.length } }] }),
    usage: { inputTokens: 900, outputTokens: 100, estimated: false },
  }))
  const host = definePlugin('scripted-model', ({ providers, tools }) => {
    providers.add('scripted', provider)
    tools.add('lookup', {
      id: 'lookup',
      description: 'Looks up a page.',
      parameters: { type: 'object', properties: { page: { type: 'number' } }, required: ['page'] },
      risk: 'read',
      run: async (args) => `page ${(args as { page: number }).page}`,
    })
  })()
  const runtime = await createRuntime({ model: 'scripted/scripted' }, { plugins: [host], env: {} })
  const events: RunEvent[] = []
  runtime.onEvent((event) => events.push(event))
  const { id } = await runtime.runs.create({
    task: 'How many people live in Oslo?',
    tokenBudget,
    budget: { maxTokens: 200_000 },
    tools: { allow: ['lookup'] },
    reflect: false,
  })
  const result = await resultOf(runtime, id)
  await runtime.close()
  return { result, events, choices: provider.requests.map(({ toolChoice }) => toolChoice) }
}

test('warns at .7, .9 and all of its share, lends it what is free, then lets it answer in one last call', async () => {
  const { result, events, choices } = await curious(10_000)
  const own = events.flatMap((event) =>
    event.type === 'budget.warning' && event.data.scope === 'agent-1' ? [event.data.ratio] : [],
  )
  assert.equal(own, [0.7, 0.9, 1])
  // Its share and what is lent come to less than 10,000 tokens, for a last answer is kept back: so not ten calls.
  assert.is(choices.at(-1), 'none')
  assert.is(choices.filter((choice) => choice === 'none').length, 1)
  assert.ok(choices.length >= 7 && choices.length <= 10, String(choices.length))
  assert.is(result.summary, 'Oslo has about 700,000 inhabitants.')
})

test('leaves an agent alone whose budget is large', async () => {
  const { choices } = await curious(64_000)
  assert.is(choices.length, 24) // the turns of a step
})

test.run()
