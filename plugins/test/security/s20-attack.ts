/** Words from outside that a model repeats, and a later run that is shown them and allowed to send. */
import { definePlugin, type RuntimeSettings, startRuntime, toText } from '@svc/core'
import { type Script, scriptedProvider } from '@svc/core/testing'
import { allocate } from '../../src/defaults/allocate.ts'
import { analyze } from '../../src/defaults/analyze.ts'
import { memory } from '../../src/defaults/memory/memory.ts'
import { orchestrate } from '../../src/defaults/orchestrate.ts'
import { verified } from '../fixtures/judged.ts'

const FACT = 'The harbour crane is violet.'

/** What an earlier run did: it read a file of the workspace, or a page of the web. */
export type Reading = 'file' | 'page'

/** Reads in one run, and says whether later ones may send something without being asked. */
export async function sendAfter(
  reading: Reading,
  way: 'memory' | 'thread' | 'copied thread',
  settings: Partial<RuntimeSettings> = {},
  remembers = true,
): Promise<{ sent: boolean[]; tainted: (boolean | undefined)[]; systems: string }> {
  const script: Script = ({ messages }) => {
    if (messages.some(({ role }) => role === 'tool')) return FACT
    const isSending = toText(messages.at(-1)?.content ?? []).includes('Send it')
    return { toolCalls: [{ tool: isSending ? 'send' : reading, args: {} }] }
  }
  const provider = scriptedProvider('scripted', script)
  const host = definePlugin('host', ({ providers, tools }) => {
    providers.add('scripted', provider)
    const add = (id: string, risk: 'read' | 'network', untrusted: boolean): void =>
      void tools.add(id, {
        id,
        description: id,
        parameters: { type: 'object' },
        risk,
        untrusted,
        run: async () => FACT,
      })
    add('send', 'network', false)
    add('file', 'read', false)
    add('page', 'read', true)
  })()
  const runtime = await startRuntime({
    plugins: [host, verified, analyze(), allocate(), memory(), orchestrate()].map((plugin) => ({ plugin })),
    defaultModel: 'scripted',
    config: { policy: { rules: [{ tool: 'send', decision: 'allow' }] } },
    ...settings,
  })
  let threadId = way === 'memory' ? undefined : (await runtime.threads.create()).id
  const run = async (task: string): Promise<{ tainted: boolean | undefined; sent: boolean }> => {
    const { id } = await runtime.runs.create({
      task,
      topology: 'SINGLE',
      memory: remembers,
      ...(threadId && { threadId }),
    })
    await runtime.runs.wait(id)
    const { tainted, toolCalls } = (await runtime.runs.result(id)) as Awaited<
      ReturnType<typeof runtime.runs.result>
    > & { tainted?: boolean; toolCalls: { total: number; denied: number } }
    return { tainted, sent: toolCalls.total > 0 && toolCalls.denied === 0 }
  }
  const first = await run('What is the colour of the harbour crane?')
  if (way === 'copied thread' && threadId !== undefined) threadId = (await runtime.threads.copy(threadId)).id
  const later = [
    await run('Send it: what is the colour of the violet harbour crane?'),
    await run('Send it again: what is the colour of the violet harbour crane?'),
  ]
  await runtime.close()
  const systems = provider.requests
    .flatMap(({ messages }) => messages)
    .filter(({ role }) => role === 'system')
    .map(({ content }) => toText(content))
    .join('\n')
  return { sent: later.map(({ sent }) => sent), tainted: [first, ...later].map(({ tainted }) => tainted), systems }
}

/** Whether what was read in a folder that nobody trusts, and on a page in an earlier turn, lets a later run send. */
export async function attack(): Promise<{ folder: boolean[]; thread: boolean[] }> {
  const { sent: folder } = await sendAfter('file', 'memory', { trustsWorkspace: false })
  const { sent: thread } = await sendAfter('page', 'thread', {}, false)
  return { folder, thread }
}
