import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Chat {
  stream?: boolean
  tools?: { function: { name: string } }[]
  messages: { role: string; content: unknown }[]
}

/**
 * A model server for the example: it has OpenAI's chat format and knows one conversation, in which it uses both
 * tools and puts what they return into its answer.
 */
export async function startModelServer(): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const chat = (await readJson(request)) as Chat
    if (request.headers.authorization !== 'Bearer house-key') return response.writeHead(401).end()
    console.log(`server: ${request.method} ${request.url}, ${chat.messages.at(-1)?.role} message`)
    const message = reply(chat)
    const choice = { index: 0, finish_reason: 'tool_calls' in message ? 'tool_calls' : 'stop' }
    const base = { id: 'chat-1', created: 0, model: 'small' }
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
    if (chat.stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(
        JSON.stringify({ ...base, object: 'chat.completion', usage, choices: [{ ...choice, message }] }),
      )
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = { ...base, object: 'chat.completion.chunk', usage, choices: [{ ...choice, delta: message }] }
    return response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function reply({ messages }: Chat) {
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content))
  const [words] = /\d+/.exec(results[0] ?? '') ?? []
  const [seconds] = /\d+/.exec(results[1] ?? '') ?? []
  if (words === undefined) return call('count_words', { path: 'notes/speech.txt' })
  if (seconds === undefined) return call('reading_time', { words: Number(words) })
  return { role: 'assistant', content: `The speech has ${words} words and takes ${seconds} seconds to read aloud.` }
}

const call = (name: string, args: object) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ index: 0, id: `call-${name}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
})

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const piece of request) text += piece
  return JSON.parse(text)
}
