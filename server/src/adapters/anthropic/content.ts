import type { ContentPart } from '@svc/core'
import { mediaOf, objectOf, refuse, textOf } from '../shared/fields.ts'
import type { Block } from './schemas.ts'

/** Blocks that are material: what a message, a result of a tool and a document of blocks may hold. */
const MATERIAL = ['text', 'image', 'document', 'search_result'] as const

/** Whether a block is text, an image or a document. */
export const isMaterial = ({ type }: Block): boolean => MATERIAL.some((known) => known === type)

/**
 * A block of text, an image or a document, as parts of a message.
 *
 * @param path JSON pointer of the block
 * @throws ValidationError for another type, a source that would have to be fetched, and data that is not what it says
 */
export function toParts(block: Block, path: string): ContentPart[] {
  if (block.type === 'text') return [{ type: 'text', text: textOf(block.text, `${path}/text`) }]
  if (block.type === 'image') return [toMedia(sourceOf(block, path), `${path}/source`, 'image')]
  if (block.type === 'document') return toDocument(block, path)
  if (block.type === 'search_result') {
    const head = [block.title, block.source].filter((text) => typeof text === 'string' && text !== '').join(', ')
    return [{ type: 'text', text: head }, ...partsOf(block.content, `${path}/content`)]
  }
  return refuse(`${path}/type`, `must be one of ${MATERIAL.join(', ')} here, not ${JSON.stringify(block.type)}`)
}

/** A text, or blocks of text, images and documents, as parts. Nothing: no parts. */
export function partsOf(content: unknown, path: string): ContentPart[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return refuse(path, 'must be a text or a list of blocks')
  return content.flatMap((block, index) => {
    const at = `${path}/${index}`
    if (!isBlock(block)) return refuse(at, 'must be a block: an object with a type')
    return toParts(block, at)
  })
}

const isBlock = (value: unknown): value is Block => typeof (value as Partial<Block> | null)?.type === 'string'

function toDocument(block: Block, path: string): ContentPart[] {
  const source = sourceOf(block, path)
  const at = `${path}/source`
  const title = typeof block.title === 'string' && block.title !== '' ? block.title : undefined
  const head = [title, block.context].filter((text): text is string => typeof text === 'string' && text !== '')
  const named: ContentPart[] = head.length === 0 ? [] : [{ type: 'text', text: head.join('\n') }]
  if (source.type === 'text') return [...named, { type: 'text', text: textOf(source.data, `${at}/data`) }]
  if (source.type === 'content') return [...named, ...partsOf(source.content, `${at}/content`)]
  return [...named, toMedia(source, at, 'file', title)]
}

const sourceOf = ({ source }: Block, path: string) => objectOf(source, `${path}/source`)

function toMedia(
  source: ReturnType<typeof objectOf>,
  path: string,
  type: 'image' | 'file',
  name?: string,
): ContentPart {
  const what = type === 'image' ? 'an image' : 'a document'
  if (source.type !== 'base64') {
    const given = JSON.stringify(source.type) ?? 'nothing'
    const kinds = type === 'image' ? '"base64"' : '"base64", "text" or "content"'
    return refuse(`${path}/type`, `must be ${kinds}, not ${given.slice(0, 40)}: svc fetches nothing for ${what}`)
  }
  const mimeType = textOf(source.media_type, `${path}/media_type`)
  const data = textOf(source.data, `${path}/data`)
  return mediaOf({ type, mimeType, data, ...(name !== undefined && { name }) }, path)
}
