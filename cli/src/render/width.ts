import stringWidth from 'string-width'

const segmenter = new Intl.Segmenter()
const ASCII = /^[\u0020-\u007e]*$/

/** What a person takes for one sign, such as a letter with its accents, or a picture made of several. */
export const signsOf = (text: string): Iterable<string> =>
  ASCII.test(text) ? text : Array.from(segmenter.segment(text), ({ segment }) => segment)

/** How many columns of a terminal a text takes. */
export const widthOf = (text: string): number => (ASCII.test(text) ? text.length : stringWidth(text))

/** The text on one line of at most `width` columns, with … where it was cut. */
export function fit(text: string, width: number): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  return widthOf(line) <= width ? line : `${take(signsOf(line), width - 1).join('')}…`
}

/** The end of a text of at most `width` columns, with … where it was cut. */
export function fitEnd(text: string, width: number): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  if (widthOf(line) <= width) return line
  const end = take([...signsOf(line)].reverse(), width - 1).reverse()
  return `…${end.join('')}`
}

/** The beginning and the end of a text on one line of at most `width` columns, with how much lies between. */
export function fitMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  const signs = [...signsOf(text)]
  const room = width - ` ⟨${signs.length} characters⟩ `.length
  const end = take([...signs].reverse(), Math.floor(room / 2)).reverse()
  const start = take(signs, Math.max(0, room - widthOf(end.join(''))))
  return `${start.join('')} ⟨${signs.length - start.length - end.length} characters⟩ ${end.join('')}`
}

/** As many signs from the first on as so many columns hold. */
function take(signs: Iterable<string>, width: number): string[] {
  const taken: string[] = []
  let used = 0
  for (const sign of signs) {
    used += widthOf(sign)
    if (used > width) break
    taken.push(sign)
  }
  return taken
}

/** A text as lines of at most `width` columns, at least two; they break between words where there is a space to break at. */
export function toLines(text: string, width: number): string[] {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    let line = ''
    let used = 0
    for (const sign of signsOf(paragraph.replaceAll('\t', '  '))) {
      const taken = widthOf(sign)
      if (used + taken > width && line !== '') {
        const space = line.lastIndexOf(' ') + 1
        const cut = space * 2 > line.length ? space : line.length
        lines.push(line.slice(0, cut).trimEnd())
        line = line.slice(cut)
        used = widthOf(line)
      }
      line += sign
      used += taken
    }
    lines.push(line)
  }
  return lines
}

/** The text, with spaces up to so many columns. */
export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))
