/**
 * A web page as text that a model reads well: headings, lists, links and preformatted text are marked, scripts, styles
 * and comments are gone.
 */
import type { Parser } from 'htmlparser2'

const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'head'])
const BLOCKS = new Set(
  (
    'p div section article header footer main nav aside ul ol dl table thead tbody tr blockquote figure figcaption form ' +
    'fieldset h1 h2 h3 h4 h5 h6 pre hr dt dd details summary address'
  ).split(' '),
)
const LONGEST_ADDRESS = 2000
/** Open elements inside each other beyond which a page is not read on: the parser's work is the square of them. */
const DEEPEST = 10_000

/**
 * @param base the page's address: links are shown as `text <address>`, made absolute; only http and https are shown
 */
export async function htmlToText(html: string, base?: string): Promise<{ title: string; text: string }> {
  const { Parser } = await import('htmlparser2')
  const page = new Page(base)
  let depth = 0
  const parser: Parser = new Parser({
    onopentag: (name, attributes) => {
      page.open(name, attributes)
      if (++depth > DEEPEST) parser.pause()
    },
    onclosetag: (name) => {
      page.close(name)
      depth--
    },
    ontext: (text) => page.add(text),
  })
  parser.end(html)
  return { title: page.title.replace(/\s+/g, ' ').trim(), text: page.finish() }
}

class Page {
  title = ''
  readonly #base: string | undefined
  readonly #parts: string[] = []
  readonly #links: { href: string; from: number }[] = []
  /** Open elements that are left out, and those of them that hold the title. */
  #skipped = 0
  #inTitle = false
  #preformatted = 0

  constructor(base: string | undefined) {
    this.#base = base
  }

  add(text: string): void {
    if (this.#inTitle) this.title += text
    else if (this.#skipped === 0)
      this.#parts.push(this.#preformatted > 0 ? text.replace(/ /g, '\u00a0') : text.replace(/\s+/g, ' '))
  }

  open(name: string, { href = '' }: Readonly<Record<string, string>>): void {
    if (SKIPPED.has(name)) this.#skipped++
    this.#inTitle = name === 'title' && this.title === ''
    if (name === 'pre') this.#preformatted++
    if (name === 'br' || name === 'tr') this.#parts.push('\n')
    else if (name === 'li') this.#parts.push('\n- ')
    else if (name === 'td' || name === 'th') this.#parts.push(' | ')
    else if (name === 'a') this.#links.push({ href, from: this.#parts.length })
    else if (BLOCKS.has(name)) this.#parts.push(/^h[1-6]$/.test(name) ? `\n\n${'#'.repeat(Number(name[1]))} ` : '\n\n')
  }

  close(name: string): void {
    if (SKIPPED.has(name)) this.#skipped--
    this.#inTitle = false
    if (name === 'pre') this.#preformatted--
    if (name === 'a') this.#closeLink()
    else if (BLOCKS.has(name) && name !== 'tr') this.#parts.push('\n\n')
  }

  finish(): string {
    const kept: string[] = []
    for (const line of this.#parts.join('').split('\n')) {
      // in preformatted text spaces stand as no-break spaces until here
      const text = line.replace(/[ \t\r\f\v]+/g, ' ').trimEnd()
      const shown = (text.startsWith(' ') ? text.slice(1) : text).replace(/\u00a0/g, ' ').trimEnd()
      if (shown !== '' || (kept.length > 0 && kept.at(-1) !== '')) kept.push(shown)
    }
    return kept.join('\n').trim()
  }

  #closeLink(): void {
    const link = this.#links.pop()
    const url = link === undefined ? undefined : toAddress(link.href, this.#base)
    if (link === undefined || url === undefined) return
    const hasText = this.#parts.slice(link.from, link.from + 50).some((part) => part.trim() !== '')
    if (hasText) this.#parts.push(` <${url}>`)
  }
}

function toAddress(href: string, base: string | undefined): string | undefined {
  if (href === '' || href.startsWith('#') || href.length > LONGEST_ADDRESS || !URL.canParse(href, base))
    return undefined
  const url = new URL(href, base)
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined
}
