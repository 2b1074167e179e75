import type { ContentPart } from '@svc/core'
import { objectOf, refuse, textOf } from '../../shared/fields.ts'
import { readMedia } from './media.ts'

/** What a message says, and what came with it. */
export interface Content {
  text: string
  media: ContentPart[]
}

/**
 * The content of a message: a text, or parts as chat completions and responses name them.
 *
 * @throws ValidationError for a part that svc cannot hand on
 */
export function readContent(content: unknown, path: string): Content {
  if (typeof content === 'string') return { text: content, media: [] }
  if (content === null || content === undefined) return { text: '', media: [] }
  if (!Array.isArray(content)) return refuse(path, 'must be a text or a list of parts')
  const texts: string[] = []
  const media: ContentPart[] = []
  for (const [index, given] of content.entries()) {
    const at = `${path}/${index}`
    const part = readPart(objectOf(given, at), at)
    if (typeof part === 'string') texts.push(part)
    else media.push(part)
  }
  return { text: texts.filter((text) => text !== '').join('\n'), media }
}

function readPart(part: Readonly<Record<string, unknown>>, at: string): string | ContentPart {
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return textOf(part.text, `${at}/text`)
    case 'refusal':
      return textOf(part.refusal, `${at}/refusal`)
    case 'image_url':
      return readMedia(
        textOf(objectOf(part.image_url, `${at}/image_url`).url, `${at}/image_url/url`),
        `${at}/image_url/url`,
      )
    case 'input_image':
      return readImage(part, at)
    case 'file':
      return readFile(objectOf(part.file, `${at}/file`), `${at}/file`)
    case 'input_file':
      return readFile(part, at)
    default:
      return refuse(`${at}/type`, `must be a text, an image or a file, not ${JSON.stringify(part.type)?.slice(0, 100)}`)
  }
}

function readImage(part: Readonly<Record<string, unknown>>, at: string): ContentPart {
  if (typeof part.file_id === 'string') refuse(`${at}/file_id`, 'svc keeps no files: send image_url with a data: URL')
  return readMedia(textOf(part.image_url, `${at}/image_url`), `${at}/image_url`)
}

function readFile(
  { file_data, filename, file_id, file_url }: Readonly<Record<string, unknown>>,
  at: string,
): ContentPart {
  if (typeof file_id === 'string') refuse(`${at}/file_id`, 'svc keeps no files: send file_data with base64')
  if (typeof file_url === 'string')
    refuse(`${at}/file_url`, 'svc fetches nothing for a client: send file_data with base64')
  const name = typeof filename === 'string' && filename !== '' ? filename.slice(0, 200) : undefined
  return readMedia(textOf(file_data, `${at}/file_data`), `${at}/file_data`, name)
}
