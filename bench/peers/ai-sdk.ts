import { createInterface } from 'node:readline/promises'
import { openai } from '@ai-sdk/openai'
import { Output, ToolLoopAgent, tool } from 'ai'
import { z } from 'zod'

const terminal = createInterface({ input: process.stdin, output: process.stdout })
const getOrder = tool({
  description: 'Says what an order cost and where it is.',
  inputSchema: z.object({ order: z.string() }),
  execute: async ({ order }) => ({ order, state: 'lost', euros: 80 }),
})
const refund = tool({
  description: 'Pays an order back.',
  inputSchema: z.object({ order: z.string(), euros: z.number().positive() }),
  execute: async ({ order, euros }) => ({ order, paid: euros }),
})
const agent = new ToolLoopAgent({
  model: openai('gpt-5-mini'),
  tools: { get_order: getOrder, refund },
  toolApproval: {
    refund: async (args) =>
      args.euros <= 50 || (await terminal.question(`Refund ${JSON.stringify(args)}? `)) === 'yes'
        ? 'approved'
        : 'denied',
  },
  output: Output.object({ schema: z.object({ refunded: z.number() }) }),
})
const { textStream, output } = await agent.stream({ prompt: 'Refund order A-17.' })
for await (const piece of textStream) process.stdout.write(piece)
console.log(`\nRefunded: ${(await output).refunded} euros`)
terminal.close()
