/** Signs that may still become the beginning of something, alone on their line. */
const MARKS = /^[-*+_=#>|~`: \t]*(?:\d{1,9}[.)]?[ \t]*)?$/
/** A link or a picture whose address is still being written. */
const HALF_LINK = /!?\[([^[\]]{0,300})(?:\](?:\([^()\s]{0,2000})?)?$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/**
 * The text so far without what cannot be read yet at its end, and with an end for what is still open there: signs that
 * may become a list or a table are left out, and bold words are bold from their first letter on.
 */
export function settle(text: string): string {
  const start = text.lastIndexOf('\n') + 1
  const before = text.slice(0, start)
  const line = text.slice(start)
  const fence = openFence(before)
  if (fence !== undefined) return /^ {0,3}[`~]{1,2}$/.test(line) && line.trim()[0] === fence[0] ? before : text
  if (FENCE.test(line)) return text
  if (line !== '' && MARKS.test(line)) return before
  // The head of a table is one from its second line on.
  if (/^\s*\|/.test(line) && !/(?:^|\n)[ \t]*\|[^\n]*\n$/.test(before)) return before
  return before + closeLine(line)
}

/** The fence of the code that the text ends in; undefined where it ends in none. */
function openFence(text: string): string | undefined {
  let open: string | undefined
  for (const line of text.match(/^ {0,3}(?:`{3,}|~{3,})[^\n]*$/gm) ?? []) {
    const mark = FENCE.exec(line)?.[1] ?? ''
    if (open === undefined) open = mark
    else if (mark.startsWith(open) && line.trim() === mark) open = undefined
  }
  return open
}

function closeLine(line: string): string {
  const ticks = line.match(/`+/g)?.length ?? 0
  if (ticks % 2 === 1) return line.endsWith('`') ? line.replace(/(?<!`)`+$/, '') : `${line}\``
  const half = HALF_LINK.exec(line.slice(-2400))
  const text = half === null ? line : line.slice(0, line.length - half[0].length) + (half[1] ?? '')
  return closeMarks(closeMarks(text, '**'), '~~')
}

function closeMarks(line: string, mark: string): string {
  if (line.split(mark).length % 2 === 1) return line
  return line.endsWith(mark) ? line.slice(0, -mark.length) : line.trimEnd() + mark
}
