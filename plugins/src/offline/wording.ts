/** Small pieces of wording that all answers share. */

/** A name, path or piece of code in backticks; cut at a word where it is long. */
export function tick(text: string, limit = 120): string {
  const { kept, cut } = shorten(text.replace(/\s+/g, ' ').trim(), limit)
  const mark = cut ? ' …' : ''
  if (!kept.includes('`')) return `\`${kept}\`${mark}`
  return kept.includes('"') ? `“${kept.replace(/[“”]/g, '"')}”${mark}` : `"${kept}"${mark}`
}

/** A sentence of a document in quotation marks, cut at a word where it is long. */
export function quote(text: string, limit = 320): string {
  const { kept, cut } = shorten(text.replace(/\s+/g, ' ').trim(), limit)
  const inner = kept.includes('"') ? `“${kept.replace(/[“”]/g, '"')}”` : `"${kept}"`
  return cut ? `${inner} …` : inner
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
