/** svc's client as the conformance suite starts it, with the address of a server as its last argument. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logInToMcpServer, type McpServer, type McpTool, openMcpServer } from '@svc/plugins'

interface Call {
  name: string
  arguments: Record<string, unknown>
}

const url = process.argv.at(-1) ?? ''
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as {
  client_id?: string
  client_secret?: string
  toolCalls?: Call[]
}
const userDir = mkdtempSync(join(tmpdir(), 'svc-conformance-'))
process.on('exit', () => rmSync(userDir, { recursive: true, force: true }))

const place = { workspace: userDir, canAsk: true, canSample: true }
const oauth =
  context.client_id === undefined ? {} : { oauth: { clientId: context.client_id, clientSecret: context.client_secret } }
const config = { url, ...(oauth as object) }

/** Does what a browser would: the server of the suite sends back at once. */
async function browse(address: URL): Promise<void> {
  const { headers } = await fetch(address, { redirect: 'manual' })
  await fetch(headers.get('location') ?? '')
}

const logIn = async (): Promise<McpServer> => {
  const { server } = await logInToMcpServer('tried', config, {
    userDir,
    place,
    onAddress: (address) => void browse(address).catch((thrown) => console.error(thrown)),
  })
  return server
}

/**
 * Lists all that there is, calls each tool, reads each resource and gets each prompt. What fails with one of them ends nothing
 * else, as in a run.
 *
 * @returns the first failure
 */
async function use(server: McpServer): Promise<unknown> {
  const failures: unknown[] = []
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      console.error(what, JSON.stringify(await work()).slice(0, 500))
    } catch (thrown) {
      console.error(what, String(thrown))
      failures.push(thrown)
    }
  }
  const tools = await server.tools()
  const calls = context.toolCalls ?? tools.map(toCall)
  for (const { name, arguments: given } of calls)
    await attempt(name, () =>
      server.call(name, given, {
        ask: async ({ schema }) => ({ action: 'accept', content: defaultsOf(schema) }),
        sample: async () => ({ model: 'none', text: 'nothing' }),
      }),
    )
  for (const { uri, isTemplate } of await server.resources())
    if (!isTemplate) await attempt(uri, () => server.readResource(uri))
  for (const { name } of await server.prompts()) await attempt(name, () => server.getPrompt(name))
  return failures[0]
}

interface Schema {
  type?: string
  default?: unknown
  enum?: unknown[]
  required?: string[]
  properties?: Record<string, Schema>
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: 'text',
  number: 5,
  integer: 5,
  boolean: true,
  array: [],
  object: {},
}

/** A scenario about schemas has a tool that wants to see what became of those that it listed. */
function toCall({ name, parameters }: McpTool, _at: number, tools: readonly McpTool[]): Call {
  const { properties = {}, required = [] } = parameters as Schema
  const shown = tools.find((tool) => tool.name !== name)?.parameters
  const argumentOf = (key: string): unknown => (key === 'schema' ? shown : SAMPLES[properties[key]?.type ?? 'string'])
  return { name, arguments: Object.fromEntries(required.map((key) => [key, argumentOf(key)])) }
}

function defaultsOf(schema: unknown): Record<string, string> {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema
  const entries = Object.entries(properties).flatMap(([name, { type = 'string', default: usual, enum: words }]) => {
    const value = usual ?? (required.includes(name) ? (words?.[0] ?? SAMPLES[type]) : undefined)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}

/** As a run does: with what a login has left. @returns the first failure */
async function useLogin(): Promise<unknown> {
  const server = await openMcpServer('tried', config, { ...place, userDir })
  return use(server).finally(() => server.close())
}

async function main(): Promise<void> {
  if (!scenario.startsWith('auth/')) {
    const server = await openMcpServer('tried', config, place)
    await use(server).finally(() => server.close())
    return
  }
  for (let round = 0; ; round++) {
    await (await logIn()).close()
    const failed = await useLogin().catch((thrown: unknown) => thrown)
    if (failed === undefined) return
    // A person would be told to sign in once more, for a right that the first login did not give.
    if (round === 2) throw failed
    console.error(String(failed))
  }
}

void main().catch((thrown: unknown) => {
  console.error(thrown)
  process.exitCode = 1
})
