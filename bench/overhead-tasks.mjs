/**
 * What `pipeline-overhead` runs, once through svc by `peer-runner` and once by hand on the plain `openai` package: the
 * same prompts, the same tool, the same number of model calls.
 */
import OpenAI from 'openai'

export const MODEL = 'mock'
const PIECES = 300

export const tasks = {
  key: (id) => `k${id}`,
  single: {
    name: 'Looker',
    system: 'You look values up and answer in one sentence.',
    user: (key) => `What is the value of key ${key}?`,
  },
  tool: {
    name: 'look_up',
    description: 'Looks the value of a key up.',
    parameters: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
    run: ({ key }) => `${key} = 42`,
  },
  plan: {
    name: 'Coordinator',
    system: 'You name the parts of a job.',
    user: (id) => `Which keys does job ${id} need? Name them, separated by spaces.`,
    parse: (text) => text.split(' '),
  },
  synth: {
    name: 'Synthesizer',
    system: 'You put results together.',
    user: (id, results) => `Put the results of job ${id} together:\n${results.join('\n')}`,
  },
  CHAIN: 5,
  stage: {
    name: (k) => `Stage ${k}`,
    system: (k) => `You are stage ${k} of a chain.`,
    user: (previous) => `Work on this: ${previous}`,
    seed: (id) => `seed ${id}`,
  },
  streamer: {
    name: 'Streamer',
    system: 'You write.',
    user: (id, n) => `Write ${n} words about ${id}.`,
  },
}

/** A task of each kind, for a runner of either side. */
export const KINDS = {
  single: (runner, id) => runner.single(id),
  fanout: (runner, id) => runner.fanout(id),
  chain: (runner, id) => runner.chain(id),
  stream: (runner, id) => runner.stream(id, PIECES, () => {}),
}

/** The tasks as one would write them without svc. */
export function createByHand(baseURL) {
  const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 })
  const { name, description, parameters, run } = tasks.tool
  const tools = [{ type: 'function', function: { name, description, parameters } }]

  async function ask(system, user, more = {}) {
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ]
    for (;;) {
      const message = await next(messages, more)
      if (message.role === 'assistant' && message.tool_calls === undefined) return message.content
      messages.push(message)
    }
  }

  /** What follows: the answer of the tool that was called, else of the model. */
  async function next(messages, more = { tools }) {
    const [call] = messages.at(-1).tool_calls ?? []
    if (call !== undefined)
      return { role: 'tool', tool_call_id: call.id, content: await run(JSON.parse(call.function.arguments)) }
    const { choices } = await client.chat.completions.create({ model: MODEL, messages, ...more })
    return choices[0].message
  }

  const askSingle = (key) => ask(tasks.single.system, tasks.single.user(key), { tools })
  return {
    next,
    single: (id) => askSingle(tasks.key(id)),
    async fanout(id) {
      const keys = tasks.plan.parse(await ask(tasks.plan.system, tasks.plan.user(id)))
      const results = await Promise.all(keys.map(askSingle))
      return ask(tasks.synth.system, tasks.synth.user(id, results))
    },
    async chain(id) {
      let previous = tasks.stage.seed(id)
      for (let k = 1; k <= tasks.CHAIN; k++) {
        previous = await ask(tasks.stage.system(k), tasks.stage.user(previous))
      }
      return previous
    },
    async stream(id, n, onDelta) {
      const messages = [
        { role: 'system', content: tasks.streamer.system },
        { role: 'user', content: tasks.streamer.user(id, n) },
      ]
      let text = ''
      for await (const { choices } of await client.chat.completions.create({ model: MODEL, messages, stream: true })) {
        const piece = choices[0]?.delta.content ?? ''
        if (piece !== '') onDelta(piece)
        text += piece
      }
      return text
    },
  }
}
