/** Characters that take two columns of a terminal: East Asian scripts, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
/** Characters that stand over the one before. */
const ZERO = /\p{Mn}|\p{Me}|\p{Cf}/u

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

/** The text, with spaces up to so many columns. */
export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))
