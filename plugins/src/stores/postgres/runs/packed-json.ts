/** Strings up to this many characters stand where they are. */
const SHORT = 256

/**
 * Takes the long strings out of a JSON text. What is left says where they go: `~<place>:<number>,...~<rest>`, which no
 * JSON text begins with, so that nothing that a value holds can be mistaken for it.
 *
 * @param refer the number under which a string is kept; it is given as it stands between its quotes
 */
export function pack(json: string, refer: (literal: string) => number): string {
  let marks = ''
  let rest = ''
  let from = 0
  if (json.length <= SHORT) return json
  for (let start = json.indexOf('"'); start !== -1; ) {
    const end = endOfString(json, start)
    if (end - start > SHORT) {
      rest += json.slice(from, start)
      marks += `${marks === '' ? '' : ','}${rest.length}:${refer(json.slice(start + 1, end))}`
      from = end + 1
    }
    start = json.indexOf('"', end + 1)
  }
  return marks === '' ? json : `~${marks}~${rest}${json.slice(from)}`
}

/** The JSON text that was packed. */
export function unpack(packed: string, textOf: (number: number) => string): string {
  if (!packed.startsWith('~')) return packed
  const end = packed.indexOf('~', 1)
  const rest = packed.slice(end + 1)
  let json = ''
  let from = 0
  for (const mark of packed.slice(1, end).split(',')) {
    const [place, number] = mark.split(':')
    json += `${rest.slice(from, Number(place))}"${textOf(Number(number))}"`
    from = Number(place)
  }
  return json + rest.slice(from)
}

/** Where the closing quote of the string stands that begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let before = end - 1
    while (json.charCodeAt(before) === 92) before--
    if ((end - before) % 2 === 1) return end
  }
}
