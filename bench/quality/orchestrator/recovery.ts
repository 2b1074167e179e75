import {
  definePlugin,
  type ExecutionResult,
  type ModelRequest,
  ProviderError,
  type Runtime,
  TOPOLOGIES,
  type Tool,
  ToolError,
  toText,
} from '@svc/core'
import { type ScriptedAnswer, scriptedProvider } from '@svc/core/testing'
import { createRuntime } from '@svc/plugins'
import { bootstrap, mean, seeded } from '../lib/bootstrap.ts'
import type { Row } from '../lib/row.ts'

const RUNS = 240
const TOOL_ERRORS = 0.1
const BAD_ARGUMENTS = 0.05
const ALIVE = ['ann', 'bob', 'cyd']
/** Alone an agent that is dead has nobody to hand its work to. */
const TEAMS = TOPOLOGIES.filter((topology) => topology !== 'SINGLE')

/** What goes wrong; counted, to know which runs were touched. */
interface Faults {
  happens(share: number): boolean
  count: number
}

const lineOf = (key: string): string => `${key} is ${1_000 + Number(key.slice(1)) * 37}`
const keysIn = (text: string): string[] => [...new Set(text.match(/\bk\d{1,3}\b/g) ?? [])]

/** A model that looks up each key of its objective once, again after an error up to three times, and hands on what it is given. */
function answer(request: ModelRequest, faults: Faults): ScriptedAnswer {
  const { messages, tools = [] } = request
  const heard = messages.map(({ content }) => toText(content)).join('\n')
  const user = toText(messages.find(({ role }) => role === 'user')?.content ?? [])
  const known = [...new Set(heard.match(/\bk\d{1,3} is \d{4,5}\b/g) ?? [])]
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ args }) => JSON.stringify(args)))
  const wanted = keysIn(user).filter((key) => !known.some((fact) => fact.startsWith(`${key} `)))
  const open = wanted.filter((key) => calls.filter((args) => args.includes(key)).length < 4)
  if (tools.length > 0 && open.length > 0 && request.toolChoice !== 'none') {
    return {
      toolCalls: open.map((key) => ({
        tool: 'lookup',
        args: faults.happens(BAD_ARGUMENTS) ? `{"key": "${key}` : { key },
      })),
    }
  }
  return known.length > 0 ? known.join('\n') : 'Look each key up and give its value.'
}

async function start(faults: Faults, dead: boolean): Promise<Runtime> {
  const lookup: Tool = {
    id: 'lookup',
    description: 'looks up the value of a key',
    parameters: { type: 'object', required: ['key'], properties: { key: { type: 'string' } } },
    risk: 'read',
    run: async (args) => {
      if (faults.happens(TOOL_ERRORS)) throw new ToolError('tool_failed', 'the table is locked')
      return lineOf((args as { key: string }).key)
    },
  }
  const alive = scriptedProvider('alive', (request) => answer(request, faults))
  const gone = scriptedProvider('gone', (request) => {
    if (!dead) return answer(request, faults)
    faults.count++
    return { error: new ProviderError('provider_unavailable', 'nobody answers', { provider: 'gone' }) }
  })
  const parts = definePlugin('parts', ({ providers, tools }) => {
    providers.add('alive', alive)
    providers.add('gone', { ...gone, maxRetries: 0 })
    tools.add('lookup', lookup)
  })()
  const agents = Object.fromEntries([
    ...ALIVE.map((id) => [id, { name: id, model: 'alive/scripted', tools: ['lookup'] }]),
    ['dan', { name: 'dan', model: 'gone/scripted', tools: ['lookup'] }],
  ])
  const components = { memory: false, consensus: false } as const
  return createRuntime({ model: 'alive/scripted', agents, components }, { plugins: [parts], env: {}, persist: false })
}

/** Which runs come to an answer with the value of every key. */
async function runAll(faults: Faults, dead: boolean): Promise<{ isRight: boolean; isTouched: boolean }[]> {
  const runtime = await start(faults, dead)
  const outcomes: { isRight: boolean; isTouched: boolean }[] = []
  for (let index = 0; index < RUNS; index++) {
    const before = faults.count
    const keys = Array.from({ length: 4 }, (_, position) => `k${(index * 4 + position) % 900}`)
    const team = ['dan', ...ALIVE]
    const turn = Math.floor(index / TEAMS.length) % team.length
    const { id } = await runtime.runs.create({
      task: `Find the values of ${keys.slice(0, -1).join(', ')} and ${keys.at(-1)}`,
      topology: TEAMS[index % TEAMS.length] ?? 'PARALLEL',
      agents: [...team.slice(turn), ...team.slice(0, turn)],
    })
    await runtime.runs.wait(id)
    const result = (await runtime.runs.result(id)) as ExecutionResult
    outcomes.push({
      isRight: keys.every((key) => result.summary.includes(lineOf(key))),
      isTouched: faults.count > before,
    })
  }
  await runtime.close()
  return outcomes
}

export async function measureRecovery(): Promise<Row[]> {
  const none: Faults = { happens: () => false, count: 0 }
  const random = seeded(11)
  const faults: Faults = {
    happens(share) {
      const happens = random() < share
      if (happens) this.count++
      return happens
    },
    count: 0,
  }
  const clean = mean((await runAll(none, false)).map(({ isRight }) => Number(isRight)))
  const outcomes = await runAll(faults, true)
  const share = (sample: readonly { isRight: boolean }[]): number =>
    mean(sample.map(({ isRight }) => Number(isRight))) / clean
  return [
    {
      component: 'orchestrator',
      measure: 'right answers under faults, of those without',
      n: RUNS,
      baseline: mean(outcomes.map(({ isTouched }) => Number(!isTouched))),
      value: share(outcomes),
      ...bootstrap(outcomes, share),
      aim: 0.95,
      note: `without faults ${clean.toFixed(3)}; ${faults.count} faults: 10 % of tool calls fail, 5 % of arguments are no JSON, one agent of four has a dead model; baseline: runs that no fault touched. Whole runs over a scripted model that asks again after an error, in five topologies`,
    },
  ]
}
