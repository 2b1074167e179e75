import { type ContentPart, ToolError } from '@svc/core'
import type { McpBlock, McpContents, McpResult } from '../types.ts'

const MOST_ERROR_CHARS = 4_000

/**
 * What a tool of a server returned, as svc's own tools return it.
 *
 * @throws ToolError `tool_failed` with the tool's own words where it says that it failed
 */
export function toToolContent(id: string, { content, structuredContent, isError }: McpResult): ContentPart[] {
  const parts = content.map(toPart)
  if (isError) {
    const said = parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
    throw new ToolError('tool_failed', `${id}: ${said.slice(0, MOST_ERROR_CHARS)}`)
  }
  // A server says the same as text, for clients that know no other: once is enough.
  if (structuredContent !== undefined && !parts.some(({ type }) => type === 'text'))
    parts.push({ type: 'json', json: structuredContent })
  return parts.length === 0 ? [{ type: 'text', text: 'done' }] : parts
}

function toPart(block: McpBlock): ContentPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
      return { type: 'image', mimeType: block.mimeType, data: block.data }
    case 'resource':
      return toPartOfResource(block.resource)
    case 'resource_link': {
      const { uri, name, description = '' } = block
      return { type: 'text', text: `resource ${uri} (${name}) ${description}`.trim() }
    }
    case 'audio':
      return unshown('audio', block.mimeType, block.data)
    default:
      return { type: 'text', text: `[content of a kind that is not known: ${JSON.stringify(block).slice(0, 200)}]` }
  }
}

function toPartOfResource({ uri, mimeType = '', text, blob = '' }: McpContents): ContentPart {
  if (text !== undefined) return { type: 'text', text: `resource ${uri}:\n${text}` }
  if (mimeType.startsWith('image/')) return { type: 'image', mimeType, data: blob, name: uri }
  if (mimeType === 'application/pdf') return { type: 'file', mimeType, data: blob, name: uri }
  return unshown(`resource ${uri}`, mimeType, blob)
}

const unshown = (what: string, mimeType: string, data: string): ContentPart => ({
  type: 'text',
  text: `[${what}, ${mimeType}, ${Buffer.byteLength(data, 'base64')} bytes, which cannot be shown]`,
})
