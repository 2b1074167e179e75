/** Small pieces of wording that all answers share. */

/** A name, path or piece of code in backticks; cut at a word where it is long. */
export function tick(text: string, limit = 120): string {
  const { kept, cut } = shorten(text.replace(/\s+/g, ' ').trim(), limit)
  const mark = cut ? ' …' : ''
  if (!kept.includes('`')) return `\`${kept}\`${mark}`
  return kept.includes('"') ? `“${kept.replace(/[“”]/g, '"')}”${mark}` : `"${kept}"${mark}`
}

const LINK = /!?\[([^\][]*)\](?:\([^()\s]{0,2000}(?:\s"[^"]{0,500}")?\)|\[[^\][]{0,200}\])/g

/** A text of Markdown as its words alone, without links, emphasis and tags; code stays as it is. */
export const withoutMarkup = (text: string): string =>
  text
    .replace(LINK, '$1')
    .split(/(`[^`]*`)/)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replace(/\*\*|__|<\/?[a-zA-Z][^<>@:]*>/g, '')))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()

/** What a document says as plain words, without quotation marks, on one line that fits a screen. */
export function inWords(text: string, limit = 130): string {
  const { kept, cut } = shorten(withoutMarkup(text), limit)
  const whole = kept.split('`').length % 2 === 1 ? kept : kept.replaceAll('`', '')
  return cut ? `${whole.replace(/(?<![\s,;:])[\s,;:]+$/, '')} …` : whole.replace(/[.:;]$/, '')
}

/** A sentence of a document in quotation marks, cut at a word where it is long. */
export function quote(text: string, limit = 320): string {
  const { kept, cut } = shorten(text.replace(/\s+/g, ' ').trim(), limit)
  const inner = kept.includes('"') ? `“${kept.replace(/[“”]/g, '"')}”` : `"${kept}"`
  return cut ? `${inner} …` : inner
}

/** As many names as fit a line, at least one, in backticks. */
export function names(all: readonly string[], limit = 80): string {
  const widthOf = (some: readonly string[]): number => some.join('`, `').length
  const most = all.findIndex((_, index) => widthOf(all.slice(0, index + 1)) > limit)
  const shown = (most < 0 ? all : all.slice(0, Math.max(1, most))).map((name) => tick(name))
  return shown.length < all.length ? `${shown.join(', ')} and more` : series(shown, shown.length)
}

function shorten(text: string, limit: number): { kept: string; cut: boolean } {
  if (text.length <= limit) return { kept: text, cut: false }
  const space = text.lastIndexOf(' ', limit)
  return { kept: text.slice(0, space > limit / 2 ? space : limit), cut: true }
}

/** `a`, `a and b`, `a, b and c`; beyond `limit` the rest is counted. */
export function series(items: readonly string[], limit = 12): string {
  const rest = items.length - limit
  if (rest > 1) return `${items.slice(0, limit).join(', ')} and more`
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}

/** `1 file`, `2 files`. */
export const plural = (count: number, noun: string): string => {
  if (count === 1) return `1 ${noun}`
  return `${count} ${/(?:s|x|ch|sh)$/.test(noun) ? `${noun}es` : /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`}`
}
