import { createInterface } from 'node:readline/promises'
import { createClient, defineTool } from '@svc/sdk'
import { z } from 'zod'

const terminal = createInterface({ input: process.stdin, output: process.stdout })
const getOrder = defineTool({
  id: 'get_order',
  description: 'Says what an order cost and where it is.',
  parameters: z.object({ order: z.string() }),
  run: async ({ order }) => ({ order, state: 'lost', euros: 80 }),
})
const refund = defineTool({
  id: 'refund',
  description: 'Pays an order back.',
  parameters: z.object({ order: z.string(), euros: z.number().positive() }),
  needsApproval: ({ euros }) => euros > 50,
  run: async ({ order, euros }) => ({ order, paid: euros }),
})
const client = await createClient({
  model: 'openai/gpt-5-mini',
  tools: [getOrder, refund],
  onApproval: async ({ args }) =>
    (await terminal.question(`Refund ${JSON.stringify(args)}? `)) === 'yes' ? 'approve' : 'deny',
})
const { textStream, result } = client.stream('Refund order A-17.', { outputSchema: z.object({ refunded: z.number() }) })
for await (const piece of textStream) process.stdout.write(piece)
console.log(`\nRefunded: ${(await result).output?.refunded} euros`)
terminal.close()
await client.disconnect()
