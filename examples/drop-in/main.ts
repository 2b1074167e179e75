import { createClient } from '@svc/sdk'
import { startModelServer } from './model-server.ts'

const server = await startModelServer()
const client = await createClient({
  cwd: import.meta.dirname,
  trust: true, // as `svc trust` in this folder
  env: { HOUSE_MODEL_KEY: 'house-key' },
  // The stand-in has another port each time. With a server of your own leave this out: the file's address counts.
  fetch: (input, init) => fetch(String(input).replace('http://127.0.0.1:11434', server.url), init),
})

const { providers, tools, defaultModel } = await client.describe()
console.log(`default model: ${defaultModel}`)
console.log(`providers: ${providers.map(({ id }) => id).join(', ')}`)
console.log(`tools of this folder: ${tools.flatMap(({ id, source }) => (source === 'built in' ? [] : id)).join(', ')}`)

client.onEvent(({ type, data }) => {
  if (type === 'tool.requested') console.log(`tool: ${data.tool} ${JSON.stringify(data.args)}`)
})
const result = await client.run('How long does it take to read notes/speech.txt aloud?', { topology: 'SINGLE' })
console.log(result.status)
console.log(result.summary)
console.log(`${result.usage.modelCalls} model calls, $${result.costUsd?.toFixed(6)}`)

await client.disconnect()
server.close()
