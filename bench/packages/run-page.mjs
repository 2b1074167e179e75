/** Runs the script of a page, named by the argument, with what the web has and Node's own globals left out. */
import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { createRuntime } from '@svc/plugins'
import { createServer } from '@svc/server'

const WEB = [
  ...['AbortController', 'AbortSignal', 'Headers', 'Request', 'Response', 'TextDecoder', 'TextEncoder', 'URL'],
  ...['URLSearchParams', 'clearTimeout', 'crypto', 'fetch', 'performance', 'queueMicrotask', 'setTimeout'],
  ...['DOMException', 'Event', 'EventTarget', 'ReadableStream', 'TransformStream', 'TextDecoderStream'],
]

const runtime = await createRuntime({ provider: 'offline' }, { env: {} })
const server = createServer({ runtime, port: 0, keys: () => [] })
const serverUrl = await server.listen()
const shown = await new Promise((show) => {
  const globals = Object.fromEntries(WEB.map((name) => [name, globalThis[name]]))
  runInNewContext(readFileSync(process.argv[2], 'utf8'), { ...globals, serverUrl, show })
})
console.log(shown)
await server.close()
process.exit()
