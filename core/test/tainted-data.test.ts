/** What an agent that has read something untrusted writes and hands on: to agents of its run, and over the end of a process. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  createMemoryStore,
  type EventData,
  type RunContext,
  type Runtime,
  type Tool,
  type ToolAnswer,
} from '../src/index.ts'
import { ended, expire, model, start, summaryOf, tool, toolbox, until } from './fixtures/runtimes.ts'
import { execution, plan, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('tainted data')

const folders: string[] = []
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tainted-'))
  folders.push(folder)
  return folder
}

const pathOf = (args: unknown): string => (args as { path: string }).path
const touches: Tool['touches'] = async (args) => ({ paths: [pathOf(args)] })

/** Tools over a folder; what else one does is given. */
const tools = (folder: string, more: Partial<Record<string, Tool['run']>> = {}): Tool[] => [
  tool('page', async () => 'a page', { risk: 'network', untrusted: true, touches: async () => ({}) }),
  tool('send', async () => 'sent', { risk: 'network', touches: async () => ({}) }),
  tool('write', more.write ?? (async (args) => writeFileSync(join(folder, pathOf(args)), 'x')), {
    risk: 'write',
    touches,
  }),
  tool('read', more.read ?? (async (args) => readFileSync(join(folder, pathOf(args)), 'utf8')), { touches }),
]

/** Until files that change from now on have another time than those that changed before: the kernel stamps them by a coarse clock. */
async function nextTick(): Promise<void> {
  const began = Date.now()
  await until(() => Date.now() > began + 25)
}

type Do = (agentId: string, tool: string, path?: string) => Promise<ToolAnswer>

const rules = ['page', 'send', 'write'].map((id) => ({ tool: id, decision: 'allow' as const }))

/** A runtime whose runs do what is given, with a person who says yes. */
async function acting(
  folder: string,
  act: (call: Do, run: RunContext) => Promise<string>,
  more: Parameters<typeof tools>[1] = {},
  settings: Parameters<typeof start>[1] = {},
): Promise<Runtime> {
  const plugin = tiny({
    execute: async (run) => {
      let made = 0
      const call: Do = (agentId, id, path) => {
        const callId = `c${++made}`
        const args = path === undefined ? {} : { path }
        return run.tool({ key: `t${made}`, agentId, callId, stepId: `step-${agentId}`, tool: id, args })
      }
      return execution(await act(call, run))
    },
  })
  const runtime = await start([toolbox(...tools(folder, more)), plugin, model()], {
    workspace: folder,
    config: { policy: { rules } },
    ...settings,
  })
  runtime.onEvent(({ type, data }) => {
    if (type === 'approval.requested') runtime.approvals.resolve(data.id, { decision: 'approve' }).catch(() => {})
  })
  return runtime
}

async function outcomeOf(...given: Parameters<typeof acting>): Promise<string> {
  const runtime = await acting(...given)
  const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
  await ended(runtime, id)
  const summary = await summaryOf(runtime, id)
  await runtime.close()
  return summary
}

/** What comes of a call that sends, of an agent that has read a file, after another has read a page and something was said. */
const sentAfter = (say: (run: RunContext) => void): Promise<string> => {
  const folder = newFolder()
  writeFileSync(join(folder, 'private.txt'), 'x')
  return outcomeOf(folder, async (call, run) => {
    await call('agent-1', 'page')
    say(run)
    await call('agent-2', 'read', 'private.txt')
    return (await call('agent-2', 'send')).error?.code ?? 'sent'
  })
}

const handoff = (run: RunContext, payloadRef: string, stepId: string): void => {
  const data: EventData['agent.handoff'] = { from: 'agent-1', to: 'agent-2', reason: 'x', payloadRef }
  run.emit('agent.handoff', data, { agentId: 'agent-2', stepId })
}

test('a plan that was revised after something untrusted was read, a result and a step that was tried hand it on', async () => {
  assert.is(await sentAfter((run) => run.emit('plan.revised', { reason: 'x', plan: plan() })), 'policy_denied')
  assert.is(await sentAfter((run) => handoff(run, 'step-agent-1', 'step-agent-2')), 'policy_denied')
  assert.is(await sentAfter((run) => handoff(run, 'step-agent-1', 'step-agent-1')), 'policy_denied')
})

test('an agent that works beside another, or takes a step that the other did not come to, is handed nothing', async () => {
  assert.is(await sentAfter(() => {}), 'sent')
  assert.is(await sentAfter((run) => handoff(run, 'step-other', 'step-other')), 'sent')
})

test('a tainted file that is gone when the call ends was read', async () => {
  const folder = newFolder()
  const said = await outcomeOf(
    folder,
    async (call) => {
      await call('agent-1', 'page')
      await call('agent-1', 'write', 'notes.md')
      await nextTick()
      return `${(await call('agent-2', 'read', 'notes.md')).tainted}`
    },
    {
      read: async (args) => {
        rmSync(join(folder, pathOf(args)))
        return 'x'
      },
    },
  )
  assert.is(said, 'true')
})

test('what was written by a call that a crash cut off is tainted for the run that goes on', async () => {
  const [folder, store] = [newFolder(), createMemoryStore()]
  const act = async (call: Do): Promise<string> => {
    await call('agent-1', 'page')
    await call('agent-1', 'write', 'notes.md')
    const [notes, own] = [await call('agent-2', 'read', 'notes.md'), await call('agent-2', 'read', 'own.md')]
    return `${notes.tainted} ${own.tainted}`
  }
  writeFileSync(join(folder, 'own.md'), 'x')
  await nextTick()
  const hanging = async (args: unknown): Promise<void> => {
    writeFileSync(join(folder, pathOf(args)), 'x')
    await new Promise(() => {})
  }
  const first = await acting(folder, act, { write: hanging }, { store })
  const { id } = await first.runs.create({ task: 'x', approval: 'wait' })
  await until(async () => {
    const steps = await store.events.list(id)
    return steps.some(({ type, data }) => type === 'tool.started' && data.tool === 'write')
  })
  await expire(store, id)
  const second = await acting(folder, act, {}, { store })
  await until(async () => (await second.runs.get(id)).status === 'waiting')
  const input = { callId: 'c2', choice: 'skip' }
  await second.runs.resume(id, { input })
  await ended(second, id)
  assert.is(await summaryOf(second, id), 'true undefined')
  await Promise.all([first.close(), second.close()])
})

test.run()
