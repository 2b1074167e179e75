/**
 * The single task of `overhead-tasks`, one agent with a tool, in the libraries that docs/coming-from.md compares svc with, over
 * each one's own client of OpenAI's chat completions.
 */

import { createOpenAI } from '@ai-sdk/openai'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, tool as agentsTool, OpenAIChatCompletionsModel, run, setTracingDisabled } from '@openai/agents'
import { tool as aiTool, generateText, isStepCount } from 'ai'
import { createAgent, tool as langchainTool } from 'langchain'
import OpenAI from 'openai'
import { z } from 'zod'

const schema = z.object({ key: z.string() })

/** @returns by name a function that does the task of one id */
export function createPeers({ baseURL, model, tasks: { key, single, tool } }) {
  const { name, description, run: execute } = tool
  const prompt = (id) => single.user(key(id))

  const provider = createOpenAI({ baseURL, apiKey: 'none' }).chat(model)
  const tools = { [name]: aiTool({ description, inputSchema: schema, execute }) }

  setTracingDisabled(true)
  const agent = new Agent({
    name: single.name,
    instructions: single.system,
    model: new OpenAIChatCompletionsModel(new OpenAI({ baseURL, apiKey: 'none' }), model),
    tools: [agentsTool({ name, description, parameters: schema, execute })],
  })

  const graph = createAgent({
    model: new ChatOpenAI({ model, apiKey: 'none', configuration: { baseURL } }),
    tools: [langchainTool(execute, { name, description, schema })],
    systemPrompt: single.system,
  })

  return {
    'AI SDK': (id) =>
      generateText({ model: provider, system: single.system, prompt: prompt(id), tools, stopWhen: isStepCount(4) }),
    'OpenAI Agents': (id) => run(agent, prompt(id)),
    LangChain: (id) => graph.invoke({ messages: [{ role: 'user', content: prompt(id) }] }),
  }
}
