/**
 * A server by hand, of the revision with sessions, which does what its one argument says, as JSON:
 *
 * - `tools`: a list of `{ name, description, inputSchema }`, or of `[count, tool]` for so many of one
 * - `start`: `hang`, `die`, `flood` (text without end), or `modern` (knows no `initialize`)
 * - `calls`: what a call does by name of the tool: `hang`, `die`, `big` (100 MB), `log`, `progress`, `elicit`, `sample`, `roots`, `env`,
 *   or the result
 * - `file`: where each call is written down, a line each; also what the tools are, where it ends in `.json`
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const { tools = [], start, calls = {}, file, toolsFile } = JSON.parse(process.argv[2] ?? '{}')
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const EMPTY = { type: 'object' }
const text = (words) => ({ content: [{ type: 'text', text: words }] })
const waiting = new Map()
let asked = 0

/** Asks the client, and goes on with its answer. */
function ask(method, params) {
  const id = `s${++asked}`
  send({ id, method, params })
  return new Promise((resolve) => waiting.set(id, resolve))
}

function listTools() {
  const given = toolsFile === undefined ? tools : JSON.parse(readFileSync(toolsFile, 'utf8'))
  return given.flatMap((entry) => {
    if (!Array.isArray(entry)) return [{ inputSchema: EMPTY, ...entry }]
    const [count, tool] = entry
    return Array.from({ length: count }, (_, index) => ({ inputSchema: EMPTY, ...tool, name: `${tool.name}${index}` }))
  })
}

const ACTS = {
  hang: () => undefined,
  die: () => process.exit(1),
  big: () => text('x'.repeat(100_000_000)),
  log: () => {
    process.stderr.write('a line for people\n')
    return text('logged')
  },
  progress: (_args, token) => {
    for (const progress of [1, 2])
      send({
        method: 'notifications/progress',
        params: { progressToken: token, progress, total: 2, message: `part ${progress}` },
      })
    return text('made')
  },
  elicit: async () => {
    const requestedSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const answer = await ask('elicitation/create', { message: 'Which city?', requestedSchema })
    return text(`answer ${JSON.stringify(answer)}`)
  },
  sample: async () => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'Say a word.' } }]
    return text(`sampled ${JSON.stringify(await ask('sampling/createMessage', { messages, maxTokens: 100 }))}`)
  },
  roots: async () => text(JSON.stringify(await ask('roots/list', {}))),
  env: () => text(JSON.stringify(process.env)),
}

async function answer({ id, method, params }) {
  if (method === 'initialize') {
    if (start === 'hang') return
    if (start === 'modern') return send({ id, error: { code: -32601, message: 'Method not found' } })
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'plain', version: '1' },
    }
    return send({ id, result })
  }
  if (method === 'tools/list') return send({ id, result: { tools: listTools() } })
  if (method === 'ping') return send({ id, result: {} })
  if (method !== 'tools/call') return send({ id, error: { code: -32601, message: 'Method not found' } })
  if (file !== undefined)
    appendFileSync(file, `${JSON.stringify({ name: params.name, arguments: params.arguments })}\n`)
  const act = calls[params.name]
  const made =
    typeof act === 'string'
      ? ACTS[act](params.arguments, params._meta?.progressToken)
      : (act ?? text(`did ${params.name}`))
  const result = await made
  if (result !== undefined) send({ id, result })
}

if (start === 'die') {
  process.stderr.write('no licence found\n')
  process.exit(3)
}
if (start === 'flood') setInterval(() => process.stdout.write(`${'garbage '.repeat(1_000)}\n`), 1)
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.method === undefined) {
    waiting.get(message.id)?.(message.result ?? { error: message.error })
    waiting.delete(message.id)
  } else if (message.id !== undefined) void answer(message)
  else if (message.method === 'notifications/cancelled' && file !== undefined) appendFileSync(file, '"cancelled"\n')
})
