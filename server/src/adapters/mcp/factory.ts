import type { JSONRPCRequest, McpRequestContext, Result, Server, ServerContext } from '@modelcontextprotocol/server'
import { parse, SvcError } from '@svc/core'
import { VERSION } from '@svc/core/version'
import type { TSchema } from 'typebox'
import type { Call } from './call.ts'
import type { McpHost } from './host.ts'
import type { McpPackage } from './load-package.ts'
import { listResources, readResource, TEMPLATES } from './resources.ts'
import { callRun, callStatus } from './run/call-run.ts'
import { isUnexpected, toFailure, toResult } from './run/result.ts'
import { CancelInput, RunInput, StatusInput, TOOLS } from './run/tools.ts'

const INSTRUCTIONS =
  'svc does tasks with one agent or a team of agents: `run` takes a task and answers with the result, which svc has checked against what was really done. A task that may take longer than a call may last is begun with `background: true` and read with `run_status`.'

export interface McpFactoryOptions {
  /** On whose behalf a request is answered. */
  hostOf(context: ServerContext, era: McpRequestContext['era']): McpHost
}

/** Makes a server of the protocol for one connection or one request, of either era. */
export function createMcpFactory(
  mcp: McpPackage,
  { hostOf }: McpFactoryOptions,
): (context: McpRequestContext) => Server {
  const ClearServer = withClearErrors(mcp)
  return ({ era }) => {
    const server = new ClearServer(
      { name: 'svc', title: 'svc', version: VERSION },
      {
        // Clients ask for prompts unasked: there are none, which is no error.
        capabilities: { tools: {}, resources: {}, prompts: {} },
        instructions: INSTRUCTIONS,
        jsonSchemaValidator: UNUSED_VALIDATOR,
      },
    )
    const callOf = (context: ServerContext): Call => ({
      context,
      host: hostOf(context, era),
      isModern: era === 'modern',
      canAsk: canAsk(capabilitiesOf(mcp, context) ?? server.getClientCapabilities()),
    })
    server.setRequestHandler('tools/list', () => ({ tools: TOOLS as never }))
    server.setRequestHandler('prompts/list', () => ({ prompts: [] }))
    server.setRequestHandler('prompts/get', ({ params: { name } }) => {
      throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, `there is no prompt "${name.slice(0, 200)}"`)
    })
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: TEMPLATES }))
    server.setRequestHandler('resources/list', ({ params }, context) =>
      asProtocolError(mcp, () => listResources(hostOf(context, era).runtime, params?.cursor)),
    )
    server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
      const found = await asProtocolError(mcp, () => readResource(hostOf(context, era).runtime, uri))
      if (found === undefined) throw new mcp.ResourceNotFoundError(uri)
      return found
    })
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, context) => {
      const call = CALLS[name]
      if (call === undefined) {
        const known = TOOLS.map((tool) => tool.name).join(', ')
        throw new mcp.ProtocolError(
          mcp.ProtocolErrorCode.InvalidParams,
          `there is no tool "${name.slice(0, 200)}": there are ${known}`,
        )
      }
      try {
        return await call(args, callOf(context))
      } catch (thrown) {
        if (isUnexpected(thrown)) hostOf(context, era).onError(thrown)
        return toFailure(thrown)
      }
    })
    return server
  }
}

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>

/** The package answers a request with a wrong field as an error of the server's own: here it is one of the client's, which names the field. */
function withClearErrors(mcp: McpPackage): typeof Server {
  return class ClearServer extends mcp.Server {
    protected override _wrapHandler(method: string, handler: Handler): Handler {
      const wrapped = super._wrapHandler(method, handler)
      return async (request, context) => {
        try {
          return await wrapped(request, context)
        } catch (thrown) {
          const why = thrown instanceof Error ? describeIssues(thrown.message) : undefined
          if (why === undefined) throw thrown
          throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, why)
        }
      }
    }
  }
}

/** What the package found wrong, as a sentence; undefined for another error. */
function describeIssues(message: string): string | undefined {
  const from = message.indexOf('[\n')
  if (from < 0) return undefined
  try {
    const issues = JSON.parse(message.slice(from)) as { path: unknown[]; message: string }[]
    return issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  } catch {
    return undefined
  }
}

/** Answers of forms are checked where they are used. */
const UNUSED_VALIDATOR = {
  getValidator: () => (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined }),
}

const read = <Schema extends TSchema>(schema: Schema, args: unknown) => parse(schema, args, 'arguments')

type CallResult = ReturnType<typeof callRun>

const CALLS: Readonly<Record<string, ((args: unknown, call: Call) => CallResult) | undefined>> = Object.assign(
  Object.create(null),
  {
    run: (args: unknown, call: Call): CallResult => callRun(read(RunInput, args), call),
    async run_status(args: unknown, call: Call): CallResult {
      const { runId, waitMs = 0 } = read(StatusInput, args)
      return callStatus(runId, waitMs, call)
    },
    async run_cancel(args: unknown, { host }: Call): CallResult {
      const { runId } = read(CancelInput, args)
      return toResult(await host.runtime.runs.cancel(runId, undefined, host.asker.by), false)
    },
  },
)

type Capabilities = { elicitation?: object | undefined } | undefined

/** What a client can do, as requests of the current revision say it. */
const capabilitiesOf = (mcp: McpPackage, { mcpReq }: ServerContext): Capabilities =>
  (mcpReq.envelope as Record<string, Capabilities> | undefined)?.[mcp.CLIENT_CAPABILITIES_META_KEY]

/** An empty `elicitation` means forms. */
function canAsk(capabilities: Capabilities): boolean {
  const { elicitation } = capabilities ?? {}
  return elicitation !== undefined && ('form' in elicitation || !('url' in elicitation))
}

/** What was refused, as an error of the protocol. */
async function asProtocolError<Result>(mcp: McpPackage, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    if (!SvcError.isInstance(thrown) || thrown.code === 'internal_error')
      throw new mcp.ProtocolError(
        mcp.ProtocolErrorCode.InternalError,
        'something went wrong inside svc: its log says more',
      )
    const { code, message } = thrown
    throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, message, { code })
  }
}
