/** Calls that a plugin or a tool begins and forgets. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RunContext } from '../src/index.ts'
import { ended, model, settled, start, tool, toolbox } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('calls that nobody waits for')

test('what a plugin or a tool begins and does not wait for does not end the process with the run', async () => {
  const unhandled: unknown[] = []
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', onUnhandled)
  const site = { agentId: 'agent-1', model: '' }
  const begin: Record<string, (run: RunContext) => void> = {
    ask: (run) => void run.ask({ kind: 'input', prompt: '?' }),
    model: (run) => void run.model({ ...site, key: 'm', messages: [], stream: false }),
    tool: (run) => void run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'hangs', args: {} }),
    embed: (run) => void run.embed({ ...site, key: 'e', texts: ['a'] }),
    record: (run) => void run.record('r', async () => Promise.reject(new Error('broken'))),
    'ask of a tool': (run) => void run.tool({ key: 'a', agentId: 'agent-1', callId: 'a', tool: 'asks', args: {} }),
  }
  const hanging = (): Promise<never> => new Promise(() => {})
  const tools = toolbox(
    tool('hangs', hanging),
    tool('asks', async (_, { ask }) => void ask({ kind: 'input', prompt: '?' })),
  )
  for (const [name, forget] of Object.entries(begin)) {
    const act = tiny({
      execute: async (run) => {
        forget(run)
        await settled()
        return execution('done')
      },
    })
    const runtime = await start([tools, act, model(hanging)])
    const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
    await ended(runtime, id)
    await settled()
    assert.equal(unhandled, [], name)
    await runtime.close()
  }
  process.off('unhandledRejection', onUnhandled)
})

test.run()
