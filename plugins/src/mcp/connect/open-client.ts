import { homedir } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import type { Client, Transport } from '@modelcontextprotocol/client'
import { ConfigError, type McpServerConfig, VERSION } from '@svc/core'
import { toClientCredentials } from '../oauth/client-credentials.ts'
import { OAuthProvider } from '../oauth/provider.ts'
import type { McpPlace } from '../types.ts'
import { expandServer } from './expand.ts'
import { type ClientPackage, loadClientPackage } from './load-client.ts'
import { serverEnvironment } from './server-environment.ts'
import { createServerFetch } from './server-fetch.ts'
import { StdioTransport } from './stdio-transport.ts'

/** The longest message that is taken from a server, in bytes. */
const MOST_BYTES = 16 << 20

/** A place, and what is done with a client before it connects. */
export type OpenPlace = McpPlace & { prepare(client: Client): void }

export interface OpenClient {
  readonly client: Client
  readonly library: ClientPackage
}

/** @throws ConfigError for a config that cannot be used; whatever the connection failed with */
export async function openClient(name: string, given: McpServerConfig, place: OpenPlace): Promise<OpenClient> {
  const config = expandServer(name, given, place)
  if (config.command !== undefined) return openProgram({ ...config, command: config.command }, place)
  const library = await loadClientPackage()
  const connectBy = (transport: () => Transport, mode: Mode): Promise<Client> =>
    connect(library, transport(), mode, config, place)
  if (config.url === undefined) throw new ConfigError('config_invalid', `/mcpServers/${name} needs a command or a url`)
  const url = new URL(config.url)
  const login =
    place.userDir === undefined ? undefined : new OAuthProvider(name, place.userDir, { ...config, url: url.href })
  const { oauth } = config
  const own = oauth?.grant === 'client_credentials' ? toClientCredentials(library, name, oauth) : undefined
  const authProvider = place.authProvider ?? own ?? (login?.isKnown ? login : undefined)
  const options = {
    fetch: createServerFetch({ url, headers: config.headers ?? {}, maxBytes: MOST_BYTES }),
    ...(authProvider && { authProvider: authProvider as never }),
  }
  const isOldKind = (config as { type?: unknown }).type === 'sse'
  const bySse = (): Promise<Client> => connectBy(() => new library.SSEClientTransport(url, options), 'legacy')
  if (isOldKind) return { client: await bySse(), library }
  const byHttp = connectBy(() => new library.StreamableHTTPClientTransport(url, options), 'auto')
  const client = await byHttp.catch(async (thrown) => {
    if (!isOfOldTransport(library, thrown)) throw thrown
    return bySse().catch(() => {
      throw thrown
    })
  })
  return { client, library }
}

async function openProgram(config: McpServerConfig & { command: string }, place: OpenPlace): Promise<OpenClient> {
  const open = (): Transport => stdioTransport(config, config.command, place)
  const first = open()
  // While it starts the package is read.
  const library = await loadClientPackage().catch(async (thrown) => {
    await first.close()
    throw thrown
  })
  const client = await connect(library, first, 'legacy', config, place).catch((thrown) => {
    // Only one of the newest revision has another word for the first request.
    if (!isRefused(library, thrown)) throw thrown
    return connect(library, open(), { pin: '2026-07-28' }, config, place)
  })
  return { client, library }
}

/** Which revision is spoken: the one with sessions, or what the server knows. */
type Mode = 'auto' | 'legacy' | { pin: string }

async function connect(
  { Client }: ClientPackage,
  transport: Transport,
  mode: Mode,
  { timeoutMs = 30_000 }: McpServerConfig,
  { canAsk, canSample, signal, prepare }: OpenPlace,
): Promise<Client> {
  const capabilities = {
    roots: {},
    ...(canAsk && { elicitation: { form: {}, url: {} } }),
    ...(canSample && { sampling: {} }),
  }
  const client = new Client(
    { name: 'svc', version: VERSION },
    { capabilities, versionNegotiation: { mode, probe: { timeoutMs } }, inputRequired: { autoFulfill: false } },
  )
  prepare(client)
  try {
    await client.connect(transport, { timeout: timeoutMs, ...(signal && { signal }) })
    return client
  } catch (thrown) {
    await transport.close().catch(() => {})
    throw thrown
  }
}

function stdioTransport(config: McpServerConfig, command: string, place: McpPlace): Transport {
  const { workspace, trustsWorkspace = true, env = process.env, onLog = () => {} } = place
  // What npx and its like find in the folder where they start would run.
  const home = trustsWorkspace ? workspace : homedir()
  const start = resolve(workspace, config.cwd ?? '')
  return new StdioTransport({
    command: isAbsolute(command) || !command.includes('/') ? command : resolve(start, command),
    args: config.args ?? [],
    env: serverEnvironment(env, config.env ?? {}, workspace),
    cwd: config.cwd === undefined ? home : start,
    maxBytes: MOST_BYTES,
    onLog,
  })
}

/** Whether the server runs and does not know the request that opens a connection of the old kind. */
const isRefused = ({ ProtocolError, ProtocolErrorCode }: ClientPackage, thrown: unknown): boolean =>
  thrown instanceof ProtocolError &&
  (thrown.code === ProtocolErrorCode.UnsupportedProtocolVersion || thrown.code === ProtocolErrorCode.MethodNotFound)

/** Whether there is no such thing as a POST to the address: servers of 2024 know only streams. */
const isOfOldTransport = ({ SdkHttpError }: ClientPackage, thrown: unknown): boolean =>
  thrown instanceof SdkHttpError && [400, 404, 405].includes(thrown.data?.status ?? 0)
