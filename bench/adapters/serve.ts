/** The server under measure, in a process of its own: its model says one word, or many one by one. */
import { definePlugin } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { createRuntime } from '@svc/plugins'
import { createServer } from '@svc/server'

const PIECES = Number(process.argv[2] ?? 4_000)
const long = Array.from({ length: PIECES }, (_, index) => `word${index % 10}`).join(' ')
const model = scriptedProvider('scripted', ({ messages }) => {
  const [last] = messages.at(-1)?.content.slice(-1) ?? []
  return last?.type === 'text' && last.text.includes('long') ? long : 'Short.'
})
const plugin = definePlugin('model', ({ providers }) => providers.add('scripted', model))()
const runtime = await createRuntime({ model: 'scripted/scripted' }, { env: {}, plugins: [plugin] })
const server = createServer({
  runtime,
  port: 0,
  keys: () => [],
  limits: { requestsPerMinute: 10_000_000, sseBufferBytes: 64 * 1_048_576 },
})
const url = await server.listen()
process.on('message', (asked) => {
  if (asked === 'cpu') process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() })
})
process.send?.({ url })
