/** Tools that come while a runtime works, and what a tool may ask of people and models. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, type RunContext, type SvcError, type Tool, type ToolSource, type Usage } from '../src/index.ts'
import { ended, model, start, tool, toolbox } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('sources of tools')

const sourceOf = (tools: () => Tool[], more: Partial<ToolSource> = {}) =>
  definePlugin('source', ({ toolSources }) => toolSources.add('elsewhere', { pattern: 'far.*', tools, ...more }))()

/** A plugin whose execution looks at the run. */
const look = (work: (run: RunContext) => Promise<unknown> | unknown) =>
  tiny({
    execute: async (run) => {
      await work(run)
      return execution('done')
    },
  })

test('a run is offered what a source has when it begins, and calls it', async () => {
  const known: Tool[] = []
  let prepared = 0
  const offered: string[][] = []
  const source = sourceOf(() => known, {
    prepare: async () => {
      known.push(
        tool('far.read', async () => 'from afar'),
        tool('near.read', async () => 'not its own'),
      )
      prepared++
      return [{ code: 'far_away', message: 'it takes its time' }]
    },
  })
  let said: unknown
  const act = look(async (run) => {
    offered.push(run.tools.map(({ id }) => id))
    said = await run.tool({ key: 'a', agentId: 'agent-1', callId: 'a', tool: 'far.read', args: {} })
  })
  const runtime = await start([source, toolbox(tool('own', async () => 'own')), act, model(async () => 'x')])
  const { id } = await runtime.runs.create({ task: 'x', tools: { allow: ['far.*', 'own'] } })
  await ended(runtime, id)
  assert.equal(offered, [['own', 'far.read']])
  assert.match(JSON.stringify(said), 'from afar')
  assert.match(JSON.stringify(await runtime.runs.result(id)), 'it takes its time')
  const without = await runtime.runs.create({ task: 'x', tools: { allow: ['own'] } })
  await ended(runtime, without.id)
  assert.is(prepared, 1, 'a run that may use none of its tools does not wait for it')
  await runtime.close()
})

test('a request may name what a source may bring, and nothing that nobody brings', async () => {
  const runtime = await start([sourceOf(() => []), look(() => {}), model(async () => 'x')])
  const { id } = await runtime.runs.create({ task: 'x', tools: { allow: ['far.later'] } })
  await ended(runtime, id)
  const refused = await runtime.runs.create({ task: 'x', tools: { allow: ['other.*'] } }).catch((thrown) => thrown)
  assert.is((refused as SvcError).code, 'validation_failed')
  await runtime.close()
})

test('the tools of a run may use a tenth of its budget for models', async () => {
  const asked: (Usage | undefined)[] = []
  const asking = tool('asks', async (_args, { model: ask }) => {
    for (;;) {
      const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'word '.repeat(200) }] }]
      const answer = await ask?.({ messages, maxOutputTokens: 1_000 })
      asked.push(answer?.usage)
    }
  })
  let error: unknown
  const act = look(async (run) => {
    const made = await run.tool({ key: 'a', agentId: 'agent-1', callId: 'a', tool: 'asks', args: {} })
    error = made.error
  })
  const runtime = await start([toolbox(asking), act, model(async () => 'x')])
  const { id } = await runtime.runs.create({ task: 'x', tokenBudget: 20_000 })
  await ended(runtime, id)
  assert.match(JSON.stringify(error), 'budget_exhausted')
  assert.match(JSON.stringify(error), '2000 tokens')
  assert.ok(asked.length > 2)
  const used = asked.reduce<number>((sum, usage) => sum + (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0), 0)
  assert.ok(used <= 2_000, String(used))
  await runtime.close()
})

test.run()
