import type { ContentPart } from '@svc/core'
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { badField, refusal } from './errors.ts'

const text = Type.Optional(Type.String())

/** A part as a client sends it: one of `text`, `raw` (base64), `url` and `data`. */
const SentPart = Type.Object({
  text,
  raw: text,
  url: text,
  data: Type.Optional(Type.Unknown()),
  filename: text,
  mediaType: text,
})
type SentPart = Static<typeof SentPart>

const SentMessage = Type.Object({
  messageId: Type.String({ minLength: 1, maxLength: 1_000 }),
  contextId: text,
  taskId: text,
  role: Type.Literal('ROLE_USER'),
  parts: Type.Array(SentPart, { minItems: 1, maxItems: 200 }),
})
export type SentMessage = Static<typeof SentMessage>

/** What `SendMessage` and `SendStreamingMessage` take. Fields that are not known are ignored, as the protocol asks. */
export const SendRequest = Type.Object({
  message: SentMessage,
  configuration: Type.Optional(
    Type.Object({
      historyLength: Type.Optional(Type.Integer({ minimum: 0 })),
      returnImmediately: Type.Optional(Type.Boolean()),
      taskPushNotificationConfig: Type.Optional(Type.Unknown()),
    }),
  ),
})
export type SendRequest = Static<typeof SendRequest>

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const PDF = 'application/pdf'

/** Media types that a message may have. */
export const INPUT_MODES = ['text/plain', 'application/json', ...IMAGES, PDF]

/** The texts of a message, one below the other. */
export const textOf = ({ parts }: SentMessage): string =>
  parts
    .flatMap((part) => part.text ?? [])
    .join('\n')
    .trim()

/** What a message asks for: its texts are the task; data, images and PDFs come with it. */
export function toTask(message: SentMessage): { task: string; context: ContentPart[] } {
  const task = textOf(message)
  const context = message.parts.flatMap((part, at) =>
    part.text === undefined ? toContent(part, `message.parts[${at}]`) : [],
  )
  if (task === '') throw badField('message.parts', 'needs a part with a text that says what to do')
  return { task, context }
}

function toContent(part: SentPart, path: string): ContentPart {
  const { raw, url, data, mediaType = '', filename = '' } = part
  if (data !== undefined) return { type: 'json', json: data }
  const [type = ''] = mediaType.toLowerCase().split(';')
  if (url !== undefined) {
    const message = 'is not fetched: send the file itself, in base64, as `raw` with its `mediaType`'
    throw refusal('CONTENT_TYPE_NOT_SUPPORTED', `${path}.url: ${message}`, [{ path: `${path}.url`, message }])
  }
  if (raw === undefined) throw badField(path, 'needs one of `text`, `data` and `raw`')
  const media = { mimeType: type, data: raw, ...(filename !== '' && { name: filename }) }
  if (IMAGES.includes(type)) return { type: 'image', ...media }
  if (type === PDF) return { type: 'file', ...media }
  const message = `"${mediaType.slice(0, 100)}" is not read: send ${IMAGES.join(', ')} or ${PDF}, and text as \`text\``
  throw refusal('CONTENT_TYPE_NOT_SUPPORTED', `${path}.mediaType: ${message}`, [{ path: `${path}.mediaType`, message }])
}
