import type { Client } from '@modelcontextprotocol/client'
import type { McpTool } from '../types.ts'
import type { ClientPackage } from './load-client.ts'

/** Nobody uses more of one server: a list that goes on is left there. */
const MOST_TOOLS = 10_000
const MOST_PAGES = 64

interface Page {
  tools: unknown[]
  nextCursor?: unknown
}

/** The tools that a server lists, page by page. One that is described wrongly is there all the same, for the caller to refuse. */
export async function listTools(client: Client, library: ClientPackage, timeout: number): Promise<McpTool[]> {
  const tools: McpTool[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES && tools.length < MOST_TOOLS; pages++) {
    const page = await listPage(client, library, cursor, timeout)
    tools.push(...page.tools.flatMap(toTool))
    if (typeof page.nextCursor !== 'string' || page.nextCursor === cursor) break
    cursor = page.nextCursor
  }
  return tools
}

async function listPage(
  client: Client,
  { SdkError, SdkErrorCode }: ClientPackage,
  cursor: string | undefined,
  timeout: number,
): Promise<Page> {
  const params = cursor === undefined ? {} : { cursor }
  try {
    return await client.listTools(params, { timeout, cacheMode: 'bypass' })
  } catch (thrown) {
    if (!(thrown instanceof SdkError) || thrown.code !== SdkErrorCode.InvalidResult) throw thrown
    // One wrong tool makes the list of all wrong by the package's schema.
    return (await client.request({ method: 'tools/list', params }, ANY_PAGE, { timeout })) as Page
  }
}

const ANY_PAGE = {
  '~standard': {
    version: 1 as const,
    vendor: 'svc',
    validate: (value: unknown): { value: Page } | { issues: { message: string }[] } => {
      const { tools, nextCursor } = (value ?? {}) as Partial<Page>
      return Array.isArray(tools) ? { value: { tools, nextCursor } } : { issues: [{ message: 'holds no tools' }] }
    },
  },
}

function toTool(listed: unknown): McpTool[] {
  const { name, description, inputSchema } = (listed ?? {}) as Readonly<Record<string, unknown>>
  if (typeof name !== 'string' || name === '') return []
  return [{ name, description: typeof description === 'string' ? description : '', parameters: inputSchema }]
}
