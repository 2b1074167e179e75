/** A client of OpenAI asks svc: once, and in a conversation that svc keeps. */
import { createRuntime } from '@svc/plugins'
import { createServer } from '@svc/server'
import OpenAI from 'openai'

const runtime = await createRuntime({ model: 'offline' })
const server = createServer({ runtime, port: 0, keys: () => ['a-key'] })
const client = new OpenAI({ baseURL: `${await server.listen()}/v1`, apiKey: 'a-key' })

const messages = [{ role: 'user' as const, content: 'What is 17% of 2340?' }]
const completion = await client.chat.completions.create({ model: 'svc', messages })
console.log(completion.choices[0]?.message.content)

const first = await client.responses.create({ model: 'svc', input: 'What is 17% of 2340?' })
const next = { model: 'svc', input: 'What is 18% of 2340?', previous_response_id: first.id }
for await (const event of client.responses.stream(next))
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)

await server.close()
await runtime.close()
