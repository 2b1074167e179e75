import { definePlugin, estimateTokens, type ModelPart, type ModelProvider, ProviderError, toText } from '@svc/core'

/** Makes a wire format known, in which every line of an answer is text, or a tool call as `> tool {"json": "arguments"}`. */
export const lineFormat = definePlugin('line-format', ({ adapters }) => {
  adapters.add(
    'lines',
    (id, { baseUrl = '' }, { fetch: send = fetch }): ModelProvider => ({
      id,
      defaultModel: 'one',
      models: async () => [{ id: 'one', tools: true }],
      async *generate({ messages }, { signal }): AsyncGenerator<ModelPart> {
        const body = messages.map(({ role, content }) => `${role}: ${toText(content)}`).join('\n')
        const response = await send(baseUrl, { method: 'POST', body, signal })
        if (!response.ok) throw new ProviderError('provider_unavailable', `status ${response.status}`, { provider: id })
        const answer = await response.text()
        let calls = 0
        for (const line of answer.split('\n')) {
          const [, tool, args] = /^> (\w+) (.*)$/.exec(line) ?? []
          if (tool === undefined || args === undefined) yield { type: 'text', text: line }
          else
            yield {
              type: 'toolCall',
              call: { callId: `call-${messages.length}-${calls++}`, tool, args: JSON.parse(args) },
            }
        }
        const usage = { inputTokens: estimateTokens(body), outputTokens: estimateTokens(answer), estimated: true }
        yield { type: 'finish', finishReason: calls > 0 ? 'toolCalls' : 'stop', usage }
      },
    }),
  )
})
