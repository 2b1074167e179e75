/** Sends a task with the official client of A2A. */

import { SendMessageRequest } from '@a2a-js/sdk'
import { ClientFactory } from '@a2a-js/sdk/client'
import { createRuntime } from '@svc/plugins'
import { createServer } from '@svc/server'

const runtime = await createRuntime({ provider: 'offline' })
const server = createServer({ runtime, port: 0 })
const client = await new ClientFactory().createFromUrl(await server.listen())

const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'What is 17% of 2340?' }] }
for await (const { payload } of client.sendMessageStream(SendMessageRequest.fromJSON({ message }))) {
  if (payload?.$case !== 'artifactUpdate') continue
  for (const { content } of payload.value.artifact?.parts ?? [])
    if (content?.$case === 'text') process.stdout.write(content.value)
}
console.log()
await server.close()
await runtime.close()
