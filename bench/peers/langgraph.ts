import { createInterface } from 'node:readline/promises'
import { Command, INTERRUPT, interrupt, isInterrupted, MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { AIMessageChunk, createAgent, tool } from 'langchain'
import { z } from 'zod'

const terminal = createInterface({ input: process.stdin, output: process.stdout })
const getOrder = tool(async ({ order }) => ({ order, state: 'lost', euros: 80 }), {
  name: 'get_order',
  description: 'Says what an order cost and where it is.',
  schema: z.object({ order: z.string() }),
})
const refund = tool(
  async ({ order, euros }) => {
    if (euros > 50 && interrupt({ order, euros }) !== 'yes') return 'The user denied it.'
    return { order, paid: euros }
  },
  {
    name: 'refund',
    description: 'Pays an order back.',
    schema: z.object({ order: z.string(), euros: z.number().positive() }),
  },
)
const agent = createAgent({
  model: new ChatOpenAI({ model: 'gpt-5-mini' }),
  tools: [getOrder, refund],
  responseFormat: z.object({ refunded: z.number() }),
  checkpointer: new MemorySaver(),
})
const config = { configurable: { thread_id: '1' }, streamMode: ['messages' as const, 'values' as const] }
async function answer(input: Parameters<typeof agent.stream>[0]): Promise<number | undefined> {
  let refunded: number | undefined
  for await (const [mode, part] of await agent.stream(input, config)) {
    if (mode === 'messages') process.stdout.write(AIMessageChunk.isInstance(part[0]) ? part[0].text : '')
    else if (isInterrupted<object>(part)) {
      const reply = await terminal.question(`Refund ${JSON.stringify(part[INTERRUPT][0]?.value)}? `)
      return answer(new Command({ resume: reply }))
    } else refunded = part.structuredResponse?.refunded
  }
  return refunded
}
console.log(`\nRefunded: ${await answer({ messages: 'Refund order A-17.' })} euros`)
terminal.close()
