import { toFileText } from '@svc/core/client'
import type { ContentPart } from '@svc/sdk/remote'
import { formatCount } from '../../parts/format.ts'

/** Something that goes with a message: a text, an image or a PDF. */
export interface Attachment {
  name: string
  part: ContentPart
  /** Of what is sent, in bytes. */
  bytes: number
}

const MOST_CHARACTERS = 200_000
/** Images and PDFs of one message, as the server takes them. */
const MOST_MEDIA = 20
const MEDIA: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf']
/** What a server takes in one request where its config says nothing. */
const BODY_BYTES = 1_048_576
/** Of one request beside the texts of the message. */
const ENVELOPE_BYTES = 2_000

/** @returns why it cannot be handed over, in words, where it cannot */
export async function readAttachment(file: File): Promise<Attachment | string> {
  const name = file.name === '' ? 'pasted' : file.name
  const bytes = new Uint8Array(await file.arrayBuffer())
  if (bytes.length === 0) return `${name} is empty.`
  if (MEDIA.includes(file.type)) {
    const data = toBase64(bytes)
    const type = file.type === 'application/pdf' ? 'file' : 'image'
    return { name, part: { type, mimeType: file.type, data, name }, bytes: data.length }
  }
  const text = toUtf8(bytes)
  if (text === undefined) return `${name} is neither text, PNG, JPEG, GIF, WebP nor PDF, so no model could be shown it.`
  return { name, part: { type: 'text', text: toFileText(name, text) }, bytes: bytes.length }
}

function toUtf8(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** In pieces: one call takes no more than some ten thousand arguments. */
function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 8_192) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)))
  return btoa(pieces.join(''))
}

/** What is too much of a message, in words; undefined where all of it can be sent. */
export function findExcess(
  text: string,
  attachments: readonly Attachment[],
  bodyBytes = BODY_BYTES,
): string | undefined {
  if (text.length > MOST_CHARACTERS)
    return `The message has ${formatCount(text.length)} characters; at most ${formatCount(MOST_CHARACTERS)} can be sent. Put the rest into a file.`
  const media = attachments.filter(({ part }) => part.type === 'image' || part.type === 'file').length
  if (media > MOST_MEDIA) return `${media} images and PDFs are attached; at most ${MOST_MEDIA} can be sent.`
  const bytes = attachments.reduce((sum, one) => sum + one.bytes, ENVELOPE_BYTES + new Blob([text]).size)
  if (bytes > bodyBytes)
    return `With what is attached the message has ${formatCount(Math.ceil(bytes / 1_024))} KiB; this server takes ${formatCount(Math.floor(bodyBytes / 1_024))} KiB in one request (server.limits.bodyBytes).`
  return undefined
}

/** The material of a run: one text where all is text, else the parts of a message. */
export function toContext(attachments: readonly Attachment[]): string | ContentPart[] | undefined {
  if (attachments.length === 0) return undefined
  const parts = attachments.map(({ part }) => part)
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n\n') : parts
}
