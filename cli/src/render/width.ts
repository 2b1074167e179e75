/** Characters that take two columns of a terminal: East Asian scripts, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
/** Characters that stand over the one before; not the one that makes a picture of it, which takes a column more. */
const ZERO = /(?!\ufe0f)[\p{Mn}\p{Me}\p{Cf}]/u

const widthOfCharacter = (character: string): number => (WIDE.test(character) ? 2 : ZERO.test(character) ? 0 : 1)

/** How many columns a text takes. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += widthOfCharacter(character)
  return width
}

/** The text on one line of at most `width` columns, with … where it was cut. */
export function fit(text: string, width: number): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  if (widthOf(line) <= width) return line
  let kept = ''
  let used = 1
  for (const character of line) {
    used += widthOfCharacter(character)
    if (used > width) break
    kept += character
  }
  return `${kept}…`
}

/** The end of a text of at most `width` columns, with … where it was cut. */
export function fitEnd(text: string, width: number): string {
  const backwards = fit([...text].reverse().join(''), width)
  return [...backwards].reverse().join('')
}

/** A text as lines of at most `width` columns, at least two; they break between words where there is a space to break at. */
export function toLines(text: string, width: number): string[] {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    let line = ''
    let used = 0
    for (const character of paragraph.replaceAll('\t', '  ')) {
      const taken = widthOfCharacter(character)
      if (used + taken > width && line !== '') {
        const space = line.lastIndexOf(' ') + 1
        const cut = space * 2 > line.length ? space : line.length
        lines.push(line.slice(0, cut).trimEnd())
        line = line.slice(cut)
        used = widthOf(line)
      }
      line += character
      used += taken
    }
    lines.push(line)
  }
  return lines
}

/** The text, with spaces up to so many columns. */
export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** A line cut to at most `width` columns; colour codes take no room. */
export function clip(line: string, width: number): { text: string; width: number } {
  let used = 0
  let text = ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colour codes
  for (const [part, code] of line.matchAll(/(\u001b\[[0-9;]*m)|[^\u001b]/gu)) {
    const taken = code === undefined ? widthOfCharacter(part) : 0
    if (used + taken > width) return { text: `${text}\u001b[0m`, width: used }
    text += part
    used += taken
  }
  return { text, width: used }
}
