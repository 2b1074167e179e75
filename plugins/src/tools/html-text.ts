/**
 * A web page as text that a model reads well: headings, lists, links and preformatted text are marked, scripts, styles
 * and comments are gone.
 *
 * One pass from left to right: an element that is not closed is skipped to its end once, so the work is linear.
 */
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'head'])
const BLOCKS = new Set(
  (
    'p div section article header footer main nav aside ul ol dl table thead tbody tr blockquote figure figcaption form ' +
    'fieldset h1 h2 h3 h4 h5 h6 pre hr dt dd details summary address'
  ).split(' '),
)
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  copy: '©',
  reg: '®',
  trade: '™',
  times: '×',
  divide: '÷',
  deg: '°',
  euro: '€',
  pound: '£',
  sect: '§',
  para: '¶',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  ccedil: 'ç',
  ntilde: 'ñ',
}
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,9}));/g
const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i
const TAG_NAME = /^\/?([a-zA-Z][a-zA-Z0-9:-]{0,30})/

/**
 * @param base the page's address: links are shown as `text <address>`, made absolute; only http and https are shown
 */
export function htmlToText(html: string, base?: string): { title: string; text: string } {
  const page = new Page(base)
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    page.addText(html.slice(at, open < 0 ? html.length : open))
    if (open < 0) break
    if (html.startsWith('<!--', open)) at = after(html, '-->', open + 4)
    else if (/[a-zA-Z/!?]/.test(html[open + 1] ?? '')) {
      const end = findTagEnd(html, open + 1)
      at = end + 1
      const tag = html.slice(open + 1, end)
      const name = TAG_NAME.exec(tag)?.[1]?.toLowerCase()
      if (name === undefined) continue
      if (!tag.startsWith('/') && SKIPPED.has(name) && !tag.endsWith('/')) {
        const close = findClose(html, name, at)
        if (name === 'head') page.title = readTitle(html.slice(at, close))
        at = after(html, '>', close)
      } else page.addTag(name, tag)
    } else {
      page.addText('<')
      at = open + 1
    }
  }
  return { title: page.title, text: page.finish() }
}

class Page {
  title = ''
  readonly #base: string | undefined
  #parts: string[] = []
  #pre = 0
  #links: { href: string; from: number }[] = []

  constructor(base: string | undefined) {
    this.#base = base
  }

  addText(raw: string): void {
    if (raw === '') return
    const text = decodeEntities(raw)
    this.#parts.push(this.#pre > 0 ? text.replace(/ /g, '\u00a0') : text.replace(/\s+/g, ' '))
  }

  addTag(name: string, tag: string): void {
    const closes = tag.startsWith('/')
    if (name === 'br') this.#parts.push('\n')
    else if (name === 'a') this.#addLink(closes, tag)
    else if (name === 'pre') {
      this.#pre = Math.max(0, this.#pre + (closes ? -1 : 1))
      this.#parts.push('\n\n')
    } else if (name === 'li') this.#parts.push(closes ? '' : '\n- ')
    else if (name === 'td' || name === 'th') this.#parts.push(closes ? '' : ' | ')
    else if (name === 'tr') this.#parts.push('\n')
    else if (BLOCKS.has(name)) {
      const level = !closes && /^h[1-6]$/.test(name) ? `${'#'.repeat(Number(name[1]))} ` : ''
      this.#parts.push(`\n\n${level}`)
    }
  }

  finish(): string {
    const lines = this.#parts.join('').split('\n')
    const kept: string[] = []
    for (const line of lines) {
      // in preformatted text spaces stand as no-break spaces until here
      const text = line.replace(/[ \t\r\f\v]+/g, ' ').trimEnd()
      const shown = (text.startsWith(' ') ? text.slice(1) : text).replace(/\u00a0/g, ' ').trimEnd()
      if (shown !== '' || (kept.length > 0 && kept.at(-1) !== '')) kept.push(shown)
    }
    return kept.join('\n').trim()
  }

  #addLink(closes: boolean, tag: string): void {
    if (!closes) {
      const [, double, single, bare] = HREF.exec(tag) ?? []
      const href = decodeEntities(double ?? single ?? bare ?? '')
      this.#links.push({ href, from: this.#parts.length })
      return
    }
    const link = this.#links.pop()
    const url = link === undefined ? undefined : this.#toAddress(link.href)
    if (link === undefined || url === undefined) return
    const hasText = this.#parts.slice(link.from, link.from + 50).some((part) => part.trim() !== '')
    if (hasText) this.#parts.push(` <${url}>`)
  }

  #toAddress(href: string): string | undefined {
    if (href === '' || href.startsWith('#') || href.length > 2000) return undefined
    try {
      const url = new URL(href, this.#base)
      return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined
    } catch {
      return undefined
    }
  }
}

function decodeEntities(text: string): string {
  return text.replace(ENTITY, (whole: string, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : '\ufffd'
  })
}

/** Where the `>` of a tag is; quotes may hold one. A quote or tag that is never closed ends with the text. */
function findTagEnd(html: string, start: number): number {
  let quote = ''
  for (let index = start; index < html.length; index++) {
    const character = html[index] ?? ''
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === '>') return index
    else if ((character === '"' || character === "'") && html[index - 1] === '=') quote = character
  }
  return html.length
}

function findClose(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}[\\s/>]`, 'gi')
  close.lastIndex = from
  return close.exec(html)?.index ?? html.length
}

function after(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from)
  return found < 0 ? html.length : found + text.length
}

function readTitle(head: string): string {
  const open = head.search(/<title[\s>]/i)
  if (open < 0) return ''
  const start = after(head, '>', open)
  return decodeEntities(head.slice(start, findClose(head, 'title', start)))
    .replace(/\s+/g, ' ')
    .trim()
}
