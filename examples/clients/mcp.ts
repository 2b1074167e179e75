/** A client of the Model Context Protocol has svc do a task. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createRuntime } from '@svc/plugins'
import { createServer } from '@svc/server'

const runtime = await createRuntime({ provider: 'offline' }, { persist: false })
const server = createServer({ runtime, port: 0 })
const url = await server.listen()

const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)))
const { content, structuredContent } = await client.callTool({
  name: 'run',
  arguments: { task: 'What is 17% of 2340?' },
})
console.log(client.getNegotiatedProtocolVersion(), content, (structuredContent as { status: string }).status)
await client.close()

await server.close()
await runtime.close()
