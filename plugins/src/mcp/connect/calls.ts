import { pathToFileURL } from 'node:url'
import type { CallToolResult, Client, InputRequiredResult, Tool } from '@modelcontextprotocol/client'
import { SvcError, ToolError, toSvcError } from '@svc/core'
import { abortable } from '@svc/core/support'
import type { McpAnswer, McpBlock, McpCallOptions, McpPending, McpQuestion, McpResult, McpSampling } from '../types.ts'
import { CallClock } from './call-clock.ts'

interface Wanted extends McpCallOptions {
  tool: string
  /** Its parameters as the server listed them: some are sent as headers, too. */
  parameters: unknown
  args: Readonly<Record<string, unknown>>
  timeoutMs: number
}

type OpenCall = Wanted & { clock: CallClock }

/** What a server asks of its client, by either revision. */
interface Asked {
  method: string
  params?: unknown
}

const MOST_ROUNDS = 10

/** The calls that are open on one connection, to which what the server asks belongs. */
export class OpenCalls {
  readonly #server: string
  readonly #root: { uri: string; name: string }
  readonly #open = new Set<OpenCall>()
  /** Settles when the last of the calls is over that are made one after the other. */
  #last: Promise<unknown> = Promise.resolve()
  #isOneByOne = false

  constructor(server: string, { workspace }: { workspace: string }) {
    this.#server = server
    this.#root = { uri: pathToFileURL(workspace).href, name: 'workspace' }
  }

  /** Answers what a server with a session asks. It does not say to which call that belongs. */
  serve(client: Client, { canAsk, canSample }: { canAsk?: boolean; canSample?: boolean }): void {
    client.setRequestHandler('roots/list', () => ({ roots: [this.#root] }))
    const answer = async (request: Asked): Promise<never> => (await this.#answer(request, this.#only())) as never
    if (canAsk) client.setRequestHandler('elicitation/create', answer)
    if (canSample) client.setRequestHandler('sampling/createMessage', answer)
  }

  /** A line is shown where it can only belong to one call: others may be somebody else's. */
  log(line: string): void {
    const [call] = this.#open
    if (this.#open.size === 1) call?.onProgress?.(line)
  }

  /**
   * @param said what the server has said on standard error
   * @throws ToolError `tool_failed`, `tool_timeout`; the signal's reason
   */
  async call(client: Client, wanted: Wanted, said: () => string): Promise<McpResult> {
    if (!this.#isOneByOne) return this.#call(client, wanted, said)
    const mine = this.#last.then(() => this.#call(client, wanted, said))
    this.#last = mine.catch(() => {})
    return wanted.signal === undefined ? mine : abortable(mine, wanted.signal)
  }

  async #call(client: Client, wanted: Wanted, said: () => string): Promise<McpResult> {
    wanted.signal?.throwIfAborted()
    const what = `${wanted.tool} of the MCP server "${this.#server}"`
    const clock = new CallClock(what, wanted.timeoutMs)
    const call = { ...wanted, clock }
    this.#open.add(call)
    try {
      return toResult(await this.#rounds(client, call))
    } catch (thrown) {
      wanted.signal?.throwIfAborted()
      if (clock.signal.aborted) throw clock.signal.reason
      if (SvcError.isInstance(thrown)) throw thrown
      const reason = toSvcError(thrown).message.slice(0, 1_000)
      throw new ToolError('tool_failed', `${what} failed: ${reason}${said()}`, { cause: thrown })
    } finally {
      clock.stop()
      this.#open.delete(call)
    }
  }

  /** Calls until the server has all that it wants to know, by the revision that answers with what it needs. */
  async #rounds(client: Client, call: OpenCall): Promise<CallToolResult> {
    const { tool: name, args, resume } = call
    let pending = resume
    for (let round = 0; round <= MOST_ROUNDS; round++) {
      const more = pending && (await this.#fulfil(pending, call))
      const result = await this.#send(client, call, { name, arguments: { ...args }, ...more })
      if (!isInputRequired(result)) return result
      const { inputRequests = {}, requestState } = result
      pending = { inputRequests, inputResponses: {}, ...(requestState !== undefined && { requestState }) }
    }
    throw new ToolError('tool_failed', `${name} of the MCP server "${this.#server}" asks again and again`)
  }

  #send(
    client: Client,
    { parameters, clock, signal, onProgress }: OpenCall,
    params: { name: string; arguments: Record<string, unknown> },
  ): Promise<CallToolResult | InputRequiredResult> {
    const isListed = typeof parameters === 'object' && parameters !== null
    return client.callTool(params, {
      signal: signal === undefined ? clock.signal : AbortSignal.any([signal, clock.signal]),
      // The clock knows when to wait for a person.
      timeout: 2 ** 31 - 1,
      allowInputRequired: true,
      ...(isListed && { toolDefinition: { name: params.name, inputSchema: parameters as Tool['inputSchema'] } }),
      onprogress: ({ progress, total, message }) => {
        clock.restart()
        const share = total === undefined ? `${progress}` : `${progress} of ${total}`
        onProgress?.(message === undefined ? share : `${share}: ${message}`)
      },
    })
  }

  /** Answers what a server without sessions wants to know, and what it gave to be given back. */
  async #fulfil(pending: McpPending, call: OpenCall): Promise<object> {
    const { inputRequests, requestState } = pending
    const inputResponses = { ...pending.inputResponses }
    for (const [key, request] of Object.entries(inputRequests)) {
      if (Object.hasOwn(inputResponses, key)) continue
      inputResponses[key] = await this.#answer(request as Asked, call, {
        ...pending,
        inputResponses: { ...inputResponses },
      })
    }
    return { inputResponses, ...(requestState !== undefined && { requestState }) }
  }

  async #answer({ method, params }: Asked, call: OpenCall | undefined, pending?: McpPending): Promise<object> {
    if (method === 'roots/list') return { roots: [this.#root] }
    if (method === 'elicitation/create') {
      if (call?.ask === undefined) return { action: 'cancel' } satisfies McpAnswer
      const { ask } = call
      return call.clock.pauseFor(() => ask(toQuestion(params), pending))
    }
    if (method === 'sampling/createMessage' && call?.sample !== undefined) {
      const { sample } = call
      const { model, text, stopReason } = await call.clock.pauseFor(() => sample(toSampling(params), pending))
      return { model, role: 'assistant', content: { type: 'text', text }, ...(stopReason && { stopReason }) }
    }
    throw new ToolError('tool_failed', `${method} is refused: nobody is there who would allow it`)
  }

  /** The call that is open; where there are several, nobody can tell, and from now on they are made one by one. */
  #only(): OpenCall | undefined {
    if (this.#open.size > 1) this.#isOneByOne = true
    const [call] = this.#open
    return this.#open.size === 1 ? call : undefined
  }
}

const isInputRequired = (result: CallToolResult | InputRequiredResult): result is InputRequiredResult =>
  (result as { resultType?: unknown }).resultType === 'input_required'

function toResult({ content, structuredContent, isError }: CallToolResult): McpResult {
  return {
    content: (content ?? []) as McpBlock[],
    ...(structuredContent !== undefined && { structuredContent }),
    isError: isError === true,
  }
}

function toQuestion(params: unknown): McpQuestion {
  const { message, requestedSchema, url } = (params ?? {}) as Readonly<Record<string, unknown>>
  return {
    message: String(message ?? ''),
    ...(typeof url === 'string' && { url }),
    ...(typeof requestedSchema === 'object' && requestedSchema !== null && { schema: { ...requestedSchema } }),
  }
}

function toSampling(params: unknown): McpSampling {
  const given = (params ?? {}) as Readonly<Record<string, unknown>> & {
    messages?: { role: string; content: unknown }[]
  }
  const { messages = [], systemPrompt, maxTokens, temperature, stopSequences } = given
  return {
    messages: messages.map(({ role, content }) => ({
      role: role === 'assistant' ? 'assistant' : 'user',
      content: [content].flat() as McpBlock[],
    })),
    maxTokens: Number(maxTokens),
    ...(typeof systemPrompt === 'string' && { system: systemPrompt }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(Array.isArray(stopSequences) && { stop: stopSequences.map(String) }),
  }
}
