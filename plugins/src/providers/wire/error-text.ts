/** Longest text of a server that a message repeats, and longest words of a web page. */
const MAX_TEXT = 600
const MAX_PAGE_TEXT = 200
/** Of a large page nothing behind this is looked at. */
const MAX_PAGE = 20_000

/** What a server said, as a message repeats it: of a web page its title and words. Without the status in front. */
export function toErrorText(said: string, status: number | undefined): string {
  const start = said.search(/<(?:!doctype|html|head|body)\b/i)
  const text = start === -1 ? said : readPage(said.slice(start, start + MAX_PAGE))
  const most = start === -1 ? MAX_TEXT : MAX_PAGE_TEXT
  const own = status !== undefined && text.startsWith(`${status} `) ? text.slice(`${status} `.length) : text
  return own.length > most ? `${own.slice(0, most - 1)}…` : own
}

/** `title: words`, each said once. */
function readPage(page: string): string {
  const title = toWords(/<title[^<>]*>([^<]*)/i.exec(page)?.[1] ?? '')
  const body = toWords(page.replace(/<(head|script|style)\b[^<>]*>[\s\S]*?(?:<\/\1\s*>|$)/gi, ' '))
  const rest = body.startsWith(title) ? body.slice(title.length).trim() : body
  return [title, rest].filter((text) => text !== '').join(': ') || 'a web page without words'
}

const toWords = (html: string): string =>
  html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(?:nbsp|#160);/g, ' ')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim()
