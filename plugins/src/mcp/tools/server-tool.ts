import { type McpServerConfig, PolicyError, type Tool, type ToolContext, ToolError, type ToolRisk } from '@svc/core'
import { findErrors } from '@svc/core/schema'
import { abortable, matchesGlob } from '@svc/core/support'
import { describeErrors } from '@svc/core/text'
import { describeChanges } from '../pins/pins.ts'
import type { VettedTool } from '../pins/vet-tools.ts'
import type { McpServer } from '../server.ts'
import type { McpPending, McpResult } from '../types.ts'
import { askForServer } from './ask-person.ts'
import type { ServerLink } from './link.ts'
import { sampleForServer } from './sample.ts'
import { toToolContent } from './to-content.ts'

/** A person may take so long to answer; the server's own time-out is kept beside. */
const DAY_MS = 24 * 3_600_000
const MOST_SHOWN = 20_000
const MOST_LINES = 50

/** The id of a server's tool, for rules, agents and events. */
export const toToolId = (server: string, tool: string): string => `mcp.${server}.${tool}`

/** A tool of a server as agents use it. @param isForPeople whether it may only be called where a person is asked first */
export function toServerTool(link: ServerLink, tool: VettedTool, isForPeople: boolean): Tool {
  const { name, config } = link
  return {
    id: toToolId(name, tool.name),
    // A server's words are material, and whose they are is said.
    description: `From the MCP server "${name}", in its words: ${tool.description}`,
    parameters: tool.parameters,
    risk: riskOf(config, tool.name),
    idempotent: config.tools?.idempotent?.some((glob) => matchesGlob(glob, tool.name)) === true,
    untrusted: true,
    timeoutMs: DAY_MS,
    needsPerson: isForPeople,
    run: (args, context) => callServer(link, tool.name, args, context),
  }
}

/** A tool that a person has not seen yet: what the server says of it is shown to nobody before. */
export const toUnseenTool = (link: ServerLink, { name }: VettedTool): Tool =>
  toServerTool(
    link,
    {
      name,
      description: `${name}: a new tool. A person looks at it when it is called`,
      parameters: { type: 'object' },
    },
    true,
  )

/** The first name or glob that fits; what a server itself says of the risk counts nothing. */
export function riskOf({ tools: { risk = {} } = {} }: McpServerConfig, name: string): ToolRisk {
  const chosen = risk[name] ?? Object.entries(risk).find(([glob]) => matchesGlob(glob, name))?.[1]
  return chosen ?? 'execute'
}

async function callServer(link: ServerLink, name: string, args: unknown, context: ToolContext): Promise<unknown> {
  const { signal } = context
  await assertSeen(link, name, args, context)
  const call = (server: McpServer): Promise<McpResult> => callOnce(link, server, name, args, context)
  const server = await abortable(link.open(), signal)
  const result = await link.during(() =>
    call(server).catch(async (thrown) => {
      if (!isSessionGone(thrown, server)) throw thrown
      // It was not even looked at: the server has forgotten the session, and wants a new one.
      await link.drop(server)
      return call(await abortable(link.open(), signal))
    }),
  )
  return toToolContent(toToolId(link.name, name), result)
}

/** Holds a tool against what a person has seen of it, and asks where it is something else. */
async function assertSeen(link: ServerLink, name: string, args: unknown, context: ToolContext): Promise<void> {
  await abortable(link.open(), context.signal)
  const { before, now } = link.find(name)
  if (now === undefined)
    throw new ToolError('tool_failed', `the MCP server "${link.name}" has no tool ${name} any more`)
  if (before === now) return
  const what =
    before === undefined ? 'has a tool that you have not seen' : 'says something else of a tool than when you saw it'
  if (!link.isDeclined(now)) {
    const diff = await describeChanges(
      before === undefined ? { added: [now], changed: [] } : { added: [], changed: [{ before, now }] },
    )
    const prompt = `The MCP server "${link.name}" ${what}: ${name}\n\n${diff.slice(0, MOST_SHOWN)}\n\nAnswer true to take it as it is now, false to keep it from being called.`
    const resolution = await context.ask({ kind: 'input', prompt, schema: { type: 'boolean' } }, {})
    if (resolution.kind === 'expired')
      throw new PolicyError(
        'approval_required',
        `the MCP server "${link.name}" ${what}, ${name}, and nobody is there to look at it`,
      )
    if (resolution.kind !== 'input' || resolution.value !== true) link.decline(now)
    else link.accept(now)
  }
  if (link.isDeclined(now))
    throw new PolicyError('approval_denied', `${name} of the MCP server "${link.name}" was not taken as it is now`)
  const errors = findErrors(now.parameters, args)
  if (errors.length === 0) return
  const described = JSON.stringify(now.parameters).slice(0, MOST_SHOWN)
  throw new ToolError(
    'tool_bad_args',
    `${describeErrors(errors)}. It is described so now: ${now.description}\n${described}`,
  )
}

function callOnce(
  { name, config: { timeoutMs = 30_000 } }: ServerLink,
  server: McpServer,
  tool: string,
  args: unknown,
  context: ToolContext,
): Promise<McpResult> {
  const { signal, ask, log } = context
  const resume = context.resumed as Partial<McpPending> | undefined
  let lines = 0
  return server.call(tool, args as Readonly<Record<string, unknown>>, {
    signal,
    timeoutMs,
    onProgress: (line) => {
      if (lines++ < MOST_LINES) log(line)
    },
    ask: (question, pending) => askForServer(name, question, ask, pending),
    sample: (request, pending) => sampleForServer(name, request, context, pending),
    ...(resume?.inputRequests !== undefined && { resume: resume as McpPending }),
  })
}

/** Whether the server does not know the session: 404 by the protocol, 400 by servers that say it in words. */
function isSessionGone(thrown: unknown, { era }: McpServer): boolean {
  const { cause } = thrown as { cause?: { data?: { status?: unknown; text?: unknown } } }
  const { status, text } = cause?.data ?? {}
  return era === 'legacy' && (status === 404 || (status === 400 && /session/i.test(String(text))))
}
