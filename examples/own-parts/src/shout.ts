import {
  definePlugin,
  estimateTokens,
  generateByCompleting,
  type ModelCompletion,
  type ModelProvider,
  type ModelRequest,
  type ProviderAdapter,
  ProviderError,
  type ToolCall,
  toText,
} from '@svc/core'

/**
 * The wire format `shout`: a request is lines, `OFFER: id text` for each tool and `ROLE: text` for each message. An answer
 * is lines too; those like `!tool {"argument": 1}` are tool calls, the others are text.
 */
export const shout = definePlugin('shout', ({ adapters }) => adapters.add('shout', createShout))

export const createShout: ProviderAdapter = (id, config, { fetch: send = fetch, source }) => {
  const { baseUrl, models = {}, defaultModel = Object.keys(models)[0] ?? 'loud' } = config
  const fail = (code: ConstructorParameters<typeof ProviderError>[0], message: string, cause?: unknown) =>
    new ProviderError(code, `${id}: ${message}`, { provider: id, cause })

  const complete: NonNullable<ModelProvider['complete']> = async (request, { signal, onPart }) => {
    if (baseUrl === undefined) throw fail('provider_unavailable', 'its config names no baseUrl')
    const body = toLines(request)
    let text: string
    try {
      const response = await send(baseUrl, { method: 'POST', body, signal, headers: { 'x-model': request.model } })
      if (!response.ok) throw fail('provider_unavailable', `its server answered ${response.status}`)
      text = await response.text()
    } catch (thrown) {
      if (thrown instanceof ProviderError) throw thrown
      if (signal.aborted) throw signal.reason
      throw fail('provider_unavailable', 'its server cannot be reached', thrown)
    }
    const answer = toCompletion(text, request, body)
    if (answer === undefined) throw fail('provider_bad_response', 'the arguments of a tool call are no JSON')
    if (answer.text !== '') onPart?.({ type: 'text', text: answer.text })
    for (const call of answer.toolCalls) onPart?.({ type: 'toolCall', call })
    return answer
  }
  const provider: ModelProvider = {
    id,
    defaultModel,
    ...(source === undefined ? {} : { source }),
    models: async () =>
      Object.entries({ [defaultModel]: {}, ...models }).map(([model, known]) => ({ ...known, id: model })),
    complete,
    generate: (request, { signal }) => generateByCompleting(complete, request, { signal }),
  }
  return provider
}

const toLines = ({ messages, tools = [] }: ModelRequest): string =>
  [
    ...tools.map((tool) => `OFFER: ${tool.id} ${tool.description}`),
    ...messages.map(({ role, content }) => `${role.toUpperCase()}: ${toText(content).replaceAll('\n', ' ')}`),
  ].join('\n')

function toCompletion(answer: string, { messages }: ModelRequest, sent: string): ModelCompletion | undefined {
  const lines: string[] = []
  const toolCalls: ToolCall[] = []
  for (const line of answer.split('\n')) {
    const [, tool, json] = /^!(\S+) (.*)$/.exec(line) ?? []
    if (tool === undefined || json === undefined) lines.push(line)
    else {
      const args = parse(json)
      if (args === undefined) return undefined
      toolCalls.push({ callId: `call-${messages.length}-${toolCalls.length}`, tool, args })
    }
  }
  return {
    text: lines.join('\n'),
    toolCalls,
    finishReason: toolCalls.length > 0 ? 'toolCalls' : 'stop',
    usage: { inputTokens: estimateTokens(sent), outputTokens: estimateTokens(answer), estimated: true },
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
