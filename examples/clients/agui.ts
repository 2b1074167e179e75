/** Asks with the official client of AG-UI, as a page does. */
import { HttpAgent } from '@ag-ui/client'
import { createRuntime } from '@svc/plugins'
import { createServer } from '@svc/server'

const runtime = await createRuntime({ provider: 'offline' })
const server = createServer({ runtime, port: 0 })
const agent = new HttpAgent({ url: `${await server.listen()}/agui` })

agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'What is 17% of 2340?' })
await agent.runAgent({}, { onTextMessageContentEvent: ({ event }) => void process.stdout.write(event.delta) })
console.log()
await server.close()
await runtime.close()
