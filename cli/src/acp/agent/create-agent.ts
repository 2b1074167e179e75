import type {
  AgentApp,
  AgentContext,
  ClientCapabilities,
  InitializeResponse,
  NewSessionRequest,
  SessionConfigOption,
  SessionModeState,
} from '@agentclientprotocol/sdk'
import { VERSION } from '@svc/core/version'
import type { CommandContext } from '../../frame/context.ts'
import type { AcpPackage } from '../load-package.ts'
import type { Session } from '../session/session.ts'
import type { Sessions } from '../session/sessions.ts'
import { toRequestError } from './errors.ts'
import { deleteSession, listSessions } from './list-sessions.ts'

const INITIALIZED: Omit<InitializeResponse, 'protocolVersion'> = {
  agentInfo: { name: 'svc', title: 'svc', version: VERSION },
  authMethods: [],
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: false, embeddedContext: true },
    mcpCapabilities: { http: true, sse: false },
    sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} },
  },
}

/** The agent of the protocol, over the sessions of one editor. */
export function createAgent(acp: AcpPackage, context: CommandContext, sessions: Sessions): AgentApp {
  let capabilities: ClientCapabilities = {}
  /** What is thrown becomes an error that says what to do. */
  const answering = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (thrown) {
      throw toRequestError(thrown, acp, context.io)
    }
  }
  const find = async (id: string): Promise<Session> => {
    const session = await sessions.find(id)
    if (session !== undefined) return session
    throw new acp.RequestError(-32002, `session ${id.slice(0, 200)} is not open: session/load opens it again`, {
      sessionId: id,
    })
  }
  const open = async (
    client: AgentContext,
    place: Omit<NewSessionRequest, 'mcpServers'> & Partial<NewSessionRequest>,
    id?: string,
    isShown = false,
  ) => {
    const { cwd, mcpServers = [], additionalDirectories = [] } = place
    if (additionalDirectories.length > 0)
      context.io.err('svc: an editor named additionalDirectories, which svc does not use: a session works in cwd\n')
    const session = await sessions.make(client, capabilities, { cwd, mcpServers }, id)
    try {
      const settings = await session.open()
      if (id !== undefined) await session.load(isShown)
      // The editor has to know the session before it gets the commands of it.
      setImmediate(() => void session.showCommands().catch(() => {}))
      return { sessionId: session.id, modes: settings.modes, configOptions: settings.options }
    } catch (thrown) {
      await sessions.close(session.id)
      throw thrown
    }
  }

  return acp
    .agent({ name: 'svc' })
    .onRequest('initialize', ({ params }) => {
      capabilities = params.clientCapabilities ?? {}
      return { protocolVersion: acp.PROTOCOL_VERSION, ...INITIALIZED }
    })
    .onRequest('authenticate', () => {
      throw new acp.RequestError(-32602, 'svc needs no login: keys of models are in its config, see svc doctor')
    })
    .onRequest('session/new', ({ params, client }) => answering(() => open(client, params)))
    .onRequest('session/load', ({ params, client }) =>
      answering(async () => withoutId(await open(client, params, params.sessionId, true))),
    )
    .onRequest('session/resume', ({ params, client }) =>
      answering(async () => withoutId(await open(client, params, params.sessionId))),
    )
    .onRequest('session/list', ({ params }) =>
      answering(() => listSessions(context, params.cwd ?? null, params.cursor ?? null)),
    )
    .onRequest('session/close', ({ params }) =>
      answering(async () => {
        await find(params.sessionId)
        await sessions.close(params.sessionId)
        return {}
      }),
    )
    .onRequest('session/delete', ({ params }) =>
      answering(async () => {
        await sessions.close(params.sessionId)
        await deleteSession(context, params.sessionId)
        return {}
      }),
    )
    .onRequest('session/set_mode', ({ params }) =>
      answering(async () => {
        const session = await find(params.sessionId)
        ;(await session.open()).setMode(params.modeId)
        return {}
      }),
    )
    .onRequest('session/set_config_option', ({ params }) =>
      answering(async () => {
        const session = await find(params.sessionId)
        const settings = await session.open()
        settings.setOption(params.configId, params.value)
        return { configOptions: settings.options }
      }),
    )
    .onRequest('session/prompt', ({ params, signal }) =>
      answering(async () => (await find(params.sessionId)).prompt(params.prompt, signal)),
    )
    .onNotification('session/cancel', ({ params }) => sessions.peek(params.sessionId)?.cancel())
}

/** What is answered of a session whose id the editor has. */
const withoutId = ({ modes, configOptions }: { modes: SessionModeState; configOptions: SessionConfigOption[] }) => ({
  modes,
  configOptions,
})
