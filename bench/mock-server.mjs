/**
 * A model server that does as little as it can: chat completions in the wire format of OpenAI over node:http.
 *
 * A request with tools and no tool result yet is answered by one call of the first tool, with the key that the user
 * names; "Which keys" by eight keys, "Write 300 words" by as many; any other by a short text. With `stream: true` a word
 * a chunk, ten chunks a turn of the loop. Started as a child process by `startMockServer`, so that its work is in
 * nobody's figures.
 */
import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const FILE = fileURLToPath(import.meta.url)
const USAGE = { prompt_tokens: 60, completion_tokens: 12, total_tokens: 72 }

/** Starts the server in a process of its own. @returns its base URL, how many calls came so far, and how to stop it */
export async function startMockServer() {
  const child = fork(FILE, ['serve'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [port] = await new Promise((resolve, reject) => {
    child.once('message', (message) => resolve([message]))
    child.once('exit', (code) => reject(new Error(`the mock server ended with code ${code}`)))
  })
  const count = () =>
    new Promise((resolve) => {
      child.once('message', resolve)
      child.send('count')
    })
  return { baseURL: `http://127.0.0.1:${port}/v1`, count, stop: () => child.kill() }
}

const KEYS = 'alpha beta gamma delta epsilon zeta eta theta'

function answerTo({ model, messages, tools = [] }) {
  const user = messages.find(({ role }) => role === 'user')?.content ?? ''
  const key = /key (\w+)/.exec(user)?.[1] ?? 'alpha'
  const wantsTool = tools.length > 0 && !messages.some(({ role }) => role === 'tool')
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: tools[0]?.function.name, arguments: `{"key":"${key}"}` },
  }
  const message = wantsTool
    ? { role: 'assistant', content: null, tool_calls: [call] }
    : { role: 'assistant', content: textFor(user, key) }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message, finish_reason: wantsTool ? 'tool_calls' : 'stop' }],
    usage: USAGE,
  }
}

function textFor(user, key) {
  if (user.includes('Which keys')) return KEYS
  const words = Number(/Write (\d+) words/.exec(user)?.[1] ?? 0)
  if (words > 0) return Array.from({ length: words }, (_, index) => `word${index}`).join(' ')
  return `The value of ${key} is 42, as the table says.`
}

/** The chunks of an answer, each as it goes over the wire. */
function chunksOf({ model, choices: [{ message, finish_reason }] }) {
  const chunk = (choices, more = {}) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices, ...more })}\n\n`
  const calls = message.tool_calls?.map((call, index) => ({ index, ...call }))
  const deltas =
    calls === undefined ? message.content.match(/\s*\S+/g).map((content) => ({ content })) : [{ tool_calls: calls }]
  return [
    ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason }]),
    chunk([], { usage: USAGE }),
    'data: [DONE]\n\n',
  ]
}

/** Ten chunks a turn, so that a reader meets them in several pieces. */
function stream(response, chunks) {
  response.write(chunks.splice(0, 10).join(''))
  if (chunks.length === 0) response.end()
  else setImmediate(stream, response, chunks)
}

function serve() {
  let calls = 0
  process.on('message', () => process.send(calls))
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      calls++
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}')
      const answer = answerTo(body)
      if (body.stream === true) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        stream(response, chunksOf(answer))
        return
      }
      const text = JSON.stringify(answer)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      response.end(text)
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send(server.address().port))
  process.on('disconnect', () => process.exit())
}

if (process.argv[2] === 'serve' && process.argv[1] === FILE) serve()
