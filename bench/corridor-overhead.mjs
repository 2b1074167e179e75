/**
 * Measures what the whole corridor costs over a task written by hand: processor time per run of one agent with one tool
 * call and one answer, all default plugins on, through the SDK, against the same two calls over the `openai` package.
 *
 * One process, one mock server in a child process, batches in turn (A B A B), medians of the batches. Runs are measured
 * warm: both sides have run a thousand times before the clock starts. Each batch of svc has a client of its own, which
 * remembers the runs of the batch. Aim: at most 1.3 times the hand-written task.
 */
import OpenAI from 'openai'
import { cpuOf, median, toRow } from './measure.mjs'
import { startMockServer } from './mock-server.mjs'

const WARM_UP = 20
const RUNS = 60
const ROUNDS = 15
const MODEL = 'mock'
const SYSTEM = 'You look values up and answer in one sentence.'
const taskOf = (id) => `What is the value of alpha in table ${id}?`
const PARAMETERS = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] }
const DESCRIPTION = 'Looks the value of a key up.'
const lookUp = async ({ key }) => `${key} = 42`

export async function measure() {
  const server = await startMockServer()
  const byHand = createByHand(server.baseURL)
  const hand = []
  const corridor = []
  try {
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      hand.push((await cpuOf(() => repeat(byHand.run, RUNS))) / RUNS)
      const svc = await createSvc(server.baseURL)
      await svc.run() // loads what is loaded with the first call
      corridor.push((await cpuOf(() => repeat(svc.run, RUNS))) / RUNS)
      await svc.close()
    }
    const row = { name: 'corridor against hand-written calls', unit: 'µs CPU/run', aim: 1.3, of: 'ratio' }
    return [toRow({ ...row, value: median(corridor.slice(WARM_UP)), peer: median(hand.slice(WARM_UP)) })]
  } finally {
    server.stop()
  }
}

async function repeat(run, times) {
  for (let i = 0; i < times; i++) await run()
}

function createByHand(baseURL) {
  const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 })
  const tools = [{ type: 'function', function: { name: 'look_up', description: DESCRIPTION, parameters: PARAMETERS } }]
  let id = 0
  return {
    async run() {
      const messages = [
        { role: 'system', content: SYSTEM },
        { role: 'user', content: taskOf(++id) },
      ]
      for (;;) {
        const { choices } = await client.chat.completions.create({ model: MODEL, messages, tools })
        const { message } = choices[0]
        if (message.tool_calls === undefined) return message.content
        messages.push(message)
        for (const call of message.tool_calls) {
          const content = await lookUp(JSON.parse(call.function.arguments))
          messages.push({ role: 'tool', tool_call_id: call.id, content })
        }
      }
    },
  }
}

async function createSvc(baseURL) {
  const { createClient, definePlugin } = await import('@svc/sdk')
  const look = { id: 'look_up', description: DESCRIPTION, parameters: PARAMETERS, risk: 'read', run: lookUp }
  const client = await createClient({
    config: {},
    env: {},
    baseUrl: baseURL,
    apiKey: 'none',
    model: MODEL,
    plugins: [definePlugin('look-up', (host) => host.tools.add(look.id, look))()],
  })
  const agents = [{ id: 'looker', name: 'Looker', instructions: SYSTEM }]
  let id = 0
  return {
    async run() {
      const { status, summary, usage } = await client.run(taskOf(++id), { agents, tools: { allow: ['look_up'] } })
      if (status !== 'completed' || usage.modelCalls !== 2) throw new Error(`${status} with ${usage.modelCalls} calls`)
      return summary
    },
    close: () => client.disconnect(),
  }
}
