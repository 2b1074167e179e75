/** A client of Anthropic has svc answer, in a conversation that svc holds. */
import Anthropic from '@anthropic-ai/sdk'
import { createRuntime } from '@svc/plugins'
import { createServer } from '@svc/server'

const runtime = await createRuntime({ provider: 'offline' }, { persist: false })
const server = createServer({ runtime, port: 0 })

const client = new Anthropic({ baseURL: await server.listen(), apiKey: server.localKey })
const thread = client.beta.messages.thread({ model: 'svc', max_tokens: 1000 })
for (const content of ['What is 17% of 2340?', 'What is 18% of 2340?']) {
  const message = await thread.stream({ role: 'user', content }).finalMessage()
  for (const block of message.content) if (block.type === 'text') console.log(block.text, message.stop_reason)
}

await server.close()
await runtime.close()
