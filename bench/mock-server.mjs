/**
 * A model server that does as little as it can: chat completions in the wire format of OpenAI over node:http.
 *
 * A request with tools and no tool result yet is answered by one call of the first tool, any other by a short text;
 * with `stream: true` as server-sent events. Started as a child process by `startMockServer`, so that its work is in
 * nobody's figures.
 */
import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const FILE = fileURLToPath(import.meta.url)
const USAGE = { prompt_tokens: 60, completion_tokens: 12, total_tokens: 72 }

/** Starts the server in a process of its own. @returns its base URL, and how to stop it */
export async function startMockServer() {
  const child = fork(FILE, ['serve'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [port] = await new Promise((resolve, reject) => {
    child.once('message', (message) => resolve([message]))
    child.once('exit', (code) => reject(new Error(`the mock server ended with code ${code}`)))
  })
  return { baseURL: `http://127.0.0.1:${port}/v1`, stop: () => child.kill() }
}

function answerTo({ model, messages, tools = [] }) {
  const wantsTool = tools.length > 0 && !messages.some(({ role }) => role === 'tool')
  const message = wantsTool
    ? {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: tools[0].function.name, arguments: '{"key":"alpha"}' } },
        ],
      }
    : { role: 'assistant', content: 'The value of alpha is 42, as the table says.' }
  const finish = wantsTool ? 'tool_calls' : 'stop'
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message, finish_reason: finish }],
    usage: USAGE,
  }
}

function streamOf({ model, choices: [{ message, finish_reason }] }) {
  const chunk = (choices, more = {}) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices, ...more })}\n\n`
  const { tool_calls, ...rest } = message
  const delta = { ...rest, ...(tool_calls && { tool_calls: tool_calls.map((call, index) => ({ index, ...call })) }) }
  return [
    chunk([{ index: 0, delta, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason }]),
    chunk([], { usage: USAGE }),
    'data: [DONE]\n\n',
  ].join('')
}

function serve() {
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}')
      const answer = answerTo(body)
      const text = body.stream === true ? streamOf(answer) : JSON.stringify(answer)
      response.writeHead(200, {
        'content-type': body.stream === true ? 'text/event-stream' : 'application/json',
        'content-length': Buffer.byteLength(text),
      })
      response.end(text)
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send(server.address().port))
  process.on('disconnect', () => process.exit())
}

if (process.argv[2] === 'serve' && process.argv[1] === FILE) serve()
