import { createInterface } from 'node:readline/promises'
import { Agent, run, tool } from '@openai/agents'
import { z } from 'zod'

const terminal = createInterface({ input: process.stdin, output: process.stdout })
const getOrder = tool({
  name: 'get_order',
  description: 'Says what an order cost and where it is.',
  parameters: z.object({ order: z.string() }),
  execute: async ({ order }) => ({ order, state: 'lost', euros: 80 }),
})
const refund = tool({
  name: 'refund',
  description: 'Pays an order back.',
  parameters: z.object({ order: z.string(), euros: z.number().positive() }),
  needsApproval: async (_context, { euros }) => euros > 50,
  execute: async ({ order, euros }) => ({ order, paid: euros }),
})
const agent = new Agent({
  name: 'shop',
  model: 'gpt-5-mini',
  tools: [getOrder, refund],
  outputType: z.object({ refunded: z.number() }),
})
let stream = await run(agent, 'Refund order A-17.', { stream: true })
while (true) {
  for await (const piece of stream.toTextStream()) process.stdout.write(piece)
  await stream.completed
  if (stream.interruptions.length === 0) break
  for (const call of stream.interruptions) {
    if ((await terminal.question(`Refund ${call.arguments}? `)) === 'yes') stream.state.approve(call)
    else stream.state.reject(call)
  }
  stream = await run(agent, stream.state, { stream: true })
}
console.log(`\nRefunded: ${stream.finalOutput?.refunded} euros`)
terminal.close()
