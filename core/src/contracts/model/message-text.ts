import type { ContentPart, Message } from './message.ts'

/** A message of one text. */
export const textMessage = (role: Message['role'], text: string): Message => ({
  role,
  content: [{ type: 'text', text }],
})

/** The text of a message or of its content; JSON parts are written out, images and files are left out. */
export function toText(content: readonly ContentPart[]): string {
  const [only] = content
  if (content.length === 1 && only?.type === 'text') return only.text
  const texts = content.map((part) =>
    part.type === 'text' ? part.text : part.type === 'json' ? JSON.stringify(part.json) : '',
  )
  return texts.filter((text) => text !== '').join('\n')
}
