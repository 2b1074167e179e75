/** Pieces of Markdown that all reference pages are made of. */

/** Headings, paragraphs and tables in their order, as one page. */
export const page = (...parts: readonly string[]): string => `${parts.join('\n\n')}\n`

/** Text in which angle brackets are no tag. */
export const toProse = (text: string): string => text.replaceAll('<', '\\<')

/** Text that is shown letter by letter. */
export const code = (text: string): string => `\`${text}\``

/** A table; what divides its columns is escaped in the cells. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The anchor that a heading has on the usual hosts. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
