/** Ways past the person who is asked. */
import type { Approval, Decision, Tool } from '../../src/index.ts'
import { ended, model, start, tool, toolbox } from '../fixtures/runtimes.ts'
import { execution, tiny } from '../fixtures/tiny-plugins.ts'

export interface Asking {
  tools?: Tool[]
  calls: readonly { tool: string; args: unknown }[]
  run?: object
  config?: object
  managed?: object
  answer?: (approval: Approval) => Decision
}

/** Calls tools, and says what each came to, what was asked, and with which arguments something ran. */
export async function askAbout({ tools = [], calls, run = {}, config = {}, managed, answer }: Asking) {
  const ran: unknown[] = []
  const codes: string[] = []
  const asked: Approval[] = []
  const note = async (args: unknown): Promise<string> => {
    ran.push(args)
    return 'done'
  }
  const act = tiny({
    execute: async (context) => {
      for (const [index, call] of calls.entries()) {
        const made = { key: `k${index}`, callId: `c${index}`, agentId: 'agent-1', ...call }
        const { ok, error } = await context.tool(made)
        codes.push(ok ? 'ok' : (error?.code ?? 'failed'))
      }
      return execution('done')
    },
  })
  const own = [tool('read', note), tool('write', note, { risk: 'write' }), tool('send', note, { risk: 'network' })]
  const runtime = await start([toolbox(...own, ...tools), act, model()], {
    config,
    ...(managed && { managed: { policy: managed } }),
  })
  runtime.onEvent((event) => {
    if (event.type !== 'approval.requested') return
    asked.push(event.data)
    runtime.approvals.resolve(event.data.id, answer?.(event.data) ?? { decision: 'approve' }).catch(() => {})
  })
  const { id } = await runtime.runs.create({ task: 'x', ...run })
  await ended(runtime, id)
  await runtime.close()
  return { codes, asked, ran }
}

/** Where the call goes is named last, behind what fills a screen, at the top and in a list. */
export const LONG = [
  { content: 'A'.repeat(4_500), path: '.svc/plugins/evil.ts' },
  { files: [{ content: 'A'.repeat(4_500), path: '.svc/plugins/evil.ts' }] },
  {
    ...Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}`, 'A'.repeat(500)])),
    url: '.svc/plugins/evil.ts',
  },
]
/** What a terminal shows of a call. */
const SCREEN = 4_000

/** How many of the long calls show on the first screen where they go. */
export async function placesShown(): Promise<number> {
  const { asked } = await askAbout({
    calls: LONG.map((args) => ({ tool: 'write', args })),
    run: { approval: 'wait' },
  })
  return asked.filter(({ preview }) => preview.slice(0, SCREEN).includes('.svc/plugins/evil.ts')).length
}

/** What `--yes` lets through that a person or a company wants to be asked about. */
export async function passedByYes(): Promise<string[]> {
  const ask = { tool: '*', decision: 'ask' as const }
  const calls = [
    { tool: 'read', args: { path: '.env' } },
    { tool: 'send', args: {} },
  ]
  const run = { approval: 'allow-write' }
  const own = await askAbout({ calls, run, config: { policy: { rules: [ask] } } })
  const company = await askAbout({ calls: [{ tool: 'write', args: {} }], run, managed: { rules: [ask] } })
  return [...own.codes, ...company.codes]
}

/** How often a call ran that a person approved once. */
export async function ranAfterOneYes(): Promise<number> {
  const call = { tool: 'write', args: { path: 'a' } }
  let times = 0
  const { ran } = await askAbout({
    calls: [call, call, call],
    run: { approval: 'wait' },
    answer: () => ({ decision: times++ === 0 ? 'approve' : 'deny' }),
  })
  return ran.length
}

export const attack = async () => ({
  shown: await placesShown(),
  passed: await passedByYes(),
  ran: await ranAfterOneYes(),
})
