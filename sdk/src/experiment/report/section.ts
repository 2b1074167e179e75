/** What a report says, before it is Markdown. */
export interface Section {
  title: string
  blocks: readonly Block[]
}

export type Block = { kind: 'text'; text: string } | { kind: 'list'; items: readonly string[] } | TableBlock

export interface TableBlock {
  kind: 'table'
  caption: string
  head: readonly string[]
  rows: readonly (readonly TableCell[])[]
}

/** Text, or text with the path of a file beside the report. */
export type TableCell = string | { text: string; path: string }

/** Each part of a relative path is encoded, so that it stays a path: no scheme, no end of an attribute or of a link. */
export function toHref(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  return `./${parts.map((part) => encodeURIComponent(part).replace(/[()'*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)).join('/')}`
}
