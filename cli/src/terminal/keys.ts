/** A key, such as `enter`, `ctrl-c` or `alt-left`; typed or pasted text comes with it. */
export interface Key {
  name: string
  text?: string
}

const PASTE_END = '\u001b[201~'
// biome-ignore lint/suspicious/noControlCharactersInRegex: what keys send
const SEQUENCE = /^\u001b(?:\[([0-9;:?<=>]{0,40})([A-Za-z~])|O([A-Za-z]))/
// biome-ignore lint/suspicious/noControlCharactersInRegex: what keys send
const BEGUN = /^\u001b(?:\[[0-9;:?<=>]{0,40}|O)?$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is no key of its own
const PRINTED = /^[^\u0000-\u001f\u007f]+/

const FINALS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'shift-tab',
}
const NUMBERS: Readonly<Record<string, string>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'page-up',
  6: 'page-down',
  7: 'home',
  8: 'end',
}
const CODES: Readonly<Record<number, string>> = { 9: 'tab', 13: 'enter', 27: 'escape', 127: 'backspace' }

/** Makes keys of what a terminal sends, in whatever pieces it comes. */
export class KeyReader {
  #rest = ''
  #pasted: string | undefined

  /** Whether something has begun that is no key yet: an escape alone is one after a moment. */
  get isOpen(): boolean {
    return this.#rest !== '' && this.#pasted === undefined
  }

  feed(input: string): Key[] {
    this.#rest += input
    const keys: Key[] = []
    for (let key = this.#next(input); key !== undefined; key = this.#next(input)) if (key.name !== '') keys.push(key)
    return keys
  }

  /** What has begun ends here. */
  flush(): Key[] {
    const { length } = this.#rest
    this.#rest = ''
    return length === 0 ? [] : [{ name: 'escape' }]
  }

  #next(input: string): Key | undefined {
    if (this.#pasted !== undefined) return this.#paste()
    if (this.#rest === '') return undefined
    const [printed] = PRINTED.exec(this.#rest) ?? []
    if (printed !== undefined) return this.#cut(printed.length, { name: 'text', text: printed })
    if (this.#rest[0] !== '\u001b') return this.#cut(1, this.#control(input))
    const sequence = SEQUENCE.exec(this.#rest)
    if (sequence !== null) {
      const [whole, parameters = '', final = '', short = ''] = sequence
      if (whole === '\u001b[200~') this.#pasted = ''
      return this.#cut(whole.length, short === '' ? toKey(parameters, final) : { name: FINALS[short] ?? '' })
    }
    if (BEGUN.test(this.#rest)) return undefined
    const next = this.#rest[1] ?? ''
    if (next === '\u001b') return this.#cut(1, { name: 'escape' })
    const name = next === '\r' ? 'enter' : next === '\u007f' ? 'backspace' : next
    return this.#cut(2, { name: `alt-${name}` })
  }

  /** A line break with more behind it, where the terminal marks nothing as pasted, is one of a text. */
  #control(input: string): Key {
    const [character = ''] = this.#rest
    const isWithin = input.length > 1 && this.#rest.length > 1
    if (character === '\r') return { name: isWithin ? 'newline' : 'enter' }
    if (character === '\n') return { name: isWithin && this.#rest !== '\n' ? 'newline' : 'ctrl-j' }
    if (character === '\t') return { name: 'tab' }
    if (character === '\u007f' || character === '\b') return { name: 'backspace' }
    const code = character.charCodeAt(0)
    return { name: code >= 1 && code <= 26 ? `ctrl-${String.fromCharCode(96 + code)}` : '' }
  }

  #paste(): Key | undefined {
    const end = this.#rest.indexOf(PASTE_END)
    if (end === -1) return undefined
    this.#pasted = undefined
    return this.#cut(end + PASTE_END.length, { name: 'paste', text: this.#rest.slice(0, end) })
  }

  #cut(length: number, key: Key): Key {
    this.#rest = this.#rest.slice(length)
    return key
  }
}

function toKey(parameters: string, final: string): Key {
  const [first = '', second = '', third = ''] = parameters.split(';').map((part) => part.split(':', 1)[0] ?? '')
  if (final === '~' && first === '27') return named(Number(third), Number(second))
  if (final === 'u') return named(Number(first), Number(second || 1))
  const base = final === '~' ? NUMBERS[first] : FINALS[final]
  return { name: base === undefined ? '' : `${modifiersOf(Number(second || 1))}${base}` }
}

function named(code: number, modifiers: number): Key {
  if (!(code > 0 && code <= 0x10ffff)) return { name: '' }
  const before = modifiersOf(modifiers)
  const text = String.fromCodePoint(code)
  if (CODES[code] !== undefined) return { name: `${before}${CODES[code]}` }
  return before === '' || before === 'shift-' ? { name: 'text', text } : { name: `${before}${text}` }
}

function modifiersOf(parameter: number): string {
  const bits = parameter - 1
  return `${bits & 4 ? 'ctrl-' : ''}${bits & 2 ? 'alt-' : ''}${bits & 1 ? 'shift-' : ''}`
}
