import type { AdapterBench } from './types.ts'

const REVISION = '2026-07-28'
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': REVISION,
  'mcp-method': 'tools/call',
  'mcp-name': 'run',
}

/** Calls the tool `run`. @returns the lines with messages of the answer */
async function call(url: string, task: string, progressToken?: string): Promise<string[]> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
    ...(progressToken !== undefined && { progressToken }),
  }
  const params = { name: 'run', arguments: { task, topology: 'SINGLE' }, _meta }
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'))
  if (response.status !== 200 || !lines.at(-1)?.includes('"result"'))
    throw new Error(`MCP answered ${response.status}: ${lines.at(-1)}`)
  return lines
}

/** A call of the tool `run` of the MCP server, and one whose progress is heard: its pieces are notifications, not words. */
export const mcp: AdapterBench = {
  async request(url, task) {
    await call(url, task)
  },
  stream: async (url, task) => (await call(url, task, 'progress')).length - 1,
}
