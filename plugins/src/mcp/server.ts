import type { Client } from '@modelcontextprotocol/client'
import { ConnectionError, type McpServerConfig, SvcError, toSvcError } from '@svc/core'
import { OpenCalls } from './connect/calls.ts'
import { LastLines } from './connect/last-lines.ts'
import { listTools } from './connect/list-tools.ts'
import { openClient } from './connect/open-client.ts'
import { findLoginNeed } from './oauth/provider.ts'
import type {
  McpCallOptions,
  McpContents,
  McpPlace,
  McpPrompt,
  McpPromptMessage,
  McpResource,
  McpResult,
  McpTool,
} from './types.ts'

/** A connection to a server of the Model Context Protocol. What it answers is data of somebody else's. */
export interface McpServer {
  readonly name: string
  /** `modern`: of 2026-07-28, without sessions; `legacy`: of 2025-11-25 or before. */
  readonly era: 'modern' | 'legacy'
  /** The revision that is spoken, such as `2026-07-28`. */
  readonly protocolVersion: string
  /** What the server says that it is. */
  readonly info: { readonly name?: string; readonly version?: string; readonly instructions?: string }
  /** Resolves when the connection is over, for whatever reason. */
  readonly closed: Promise<void>
  tools(): Promise<McpTool[]>
  /**
   * Calls a tool. What the tool itself says of a failure is in the result.
   *
   * @throws ToolError `tool_failed`, `tool_timeout`; the signal's reason
   */
  call(tool: string, args: Readonly<Record<string, unknown>>, options?: McpCallOptions): Promise<McpResult>
  /** Its resources, and the templates of such. */
  resources(): Promise<McpResource[]>
  readResource(uri: string): Promise<McpContents[]>
  prompts(): Promise<McpPrompt[]>
  getPrompt(name: string, args?: Readonly<Record<string, string>>): Promise<McpPromptMessage[]>
  ping(): Promise<void>
  /** Ends the connection, and the process where there is one. */
  close(): Promise<void>
}

/**
 * Connects to a server, which starts its process where it has one.
 *
 * All but `call` throws ConnectionError `connection_failed` that names the server.
 *
 * @param name in the config
 * @throws ConfigError `config_invalid` for a missing package, a config without command and url, a variable that is not set;
 *   ConnectionError `connection_failed`, with what a process has said on standard error
 */
export async function openMcpServer(name: string, config: McpServerConfig, place: McpPlace): Promise<McpServer> {
  const said = new LastLines()
  const calls = new OpenCalls(name, place)
  const onLog = (line: string): void => {
    said.add(line)
    calls.log(line)
    place.onLog?.(line)
  }
  const fail = (what: string, thrown: unknown): SvcError => {
    if (SvcError.isInstance(thrown)) return thrown
    const need = findLoginNeed(name, thrown)
    if (need !== undefined) return need
    const { message, cause } = toSvcError(thrown)
    const root =
      cause instanceof Error && cause.cause instanceof Error ? `${message} (${cause.cause.message})` : message
    const reason = root.slice(0, 1_000)
    return new ConnectionError('connection_failed', `the MCP server "${name}" ${what}: ${reason}${said.shown()}`, {
      cause: thrown,
    })
  }
  const prepare = (made: Client): void => calls.serve(made, place)
  const { client, library } = await openClient(name, config, { ...place, onLog, prepare }).catch((thrown) => {
    throw fail(config.command === undefined ? 'cannot be reached' : 'could not be started', thrown)
  })
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve
  })
  const { timeoutMs: timeout = 30_000 } = config
  const options = { timeout }
  let listed: McpTool[] = []
  const ask = async <T>(what: string, work: Promise<T>): Promise<T> =>
    work.catch((thrown) => {
      throw fail(what, thrown)
    })
  if (place.onToolsChanged !== undefined) await followTools(client, place.onToolsChanged)
  const { version, name: title } = client.getServerVersion() ?? {}
  const instructions = client.getInstructions()
  return {
    name,
    era: client.getProtocolEra() ?? 'legacy',
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    info: { ...(title && { name: title }), ...(version && { version }), ...(instructions && { instructions }) },
    closed,
    tools: async () => {
      listed = await ask('could not list its tools', listTools(client, library, timeout))
      return listed
    },
    call: (tool, args, how = {}) => {
      const parameters = listed.find(({ name }) => name === tool)?.parameters
      return calls.call(client, { tool, parameters, args, timeoutMs: timeout, ...how }, () => said.shown())
    },
    resources: () => ask('could not list its resources', listResources(client, timeout)),
    readResource: async (uri) =>
      (await ask(`could not read ${uri}`, client.readResource({ uri }, { ...options, cacheMode: 'bypass' }))).contents,
    prompts: async () => {
      if (client.getServerCapabilities()?.prompts === undefined) return []
      const { prompts } = await ask('could not list its prompts', client.listPrompts({}, options))
      return prompts.map(({ name, description, arguments: given = [] }) => ({
        name,
        description,
        arguments: given.map(({ required = false, ...rest }) => ({ ...rest, required })),
      }))
    },
    getPrompt: async (prompt, args = {}) =>
      (await ask(`could not give the prompt ${prompt}`, client.getPrompt({ name: prompt, arguments: args }, options)))
        .messages as McpPromptMessage[],
    ping: async () => void (await ask('does not answer', client.ping(options))),
    close: async () => {
      await client.close()
    },
  }
}

async function listResources(client: Client, timeout: number): Promise<McpResource[]> {
  if (client.getServerCapabilities()?.resources === undefined) return []
  const { resources } = await client.listResources({}, { timeout, cacheMode: 'bypass' })
  // Servers without templates may not know the question.
  const { resourceTemplates } = await client
    .listResourceTemplates({}, { timeout, cacheMode: 'bypass' })
    .catch(() => ({ resourceTemplates: [] }))
  const templates = resourceTemplates.map(({ uriTemplate: uri, ...rest }) => ({ ...rest, uri, isTemplate: true }))
  return [...resources.map((resource) => ({ ...resource, isTemplate: false })), ...templates].map(
    ({ uri, isTemplate, name, description, mimeType }) => ({ uri, isTemplate, name, description, mimeType }),
  )
}

/** Calls back when the server says that its tools have changed. A server that says so to nobody is listed again at need. */
async function followTools(client: Client, onChanged: () => void): Promise<void> {
  if (client.getServerCapabilities()?.tools?.listChanged !== true) return
  client.setNotificationHandler('notifications/tools/list_changed', onChanged)
  if (client.getProtocolEra() === 'modern') await client.listen({ toolsListChanged: true }).catch(() => {})
}
