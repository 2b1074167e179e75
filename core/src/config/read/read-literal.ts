const MAX_DEPTH = 64
const IMPORT = /import\s*\{\s*defineConfig\s*\}\s*from\s*(['"])@svc\/(?:core|sdk)\1\s*;?/y
const EXPORT = /export\s+default\b/y
const CALL = /defineConfig\s*\(/y
const SPACE = /(?:\s+|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)/y
const NAME = /[A-Za-z_$][\w$]*/y
const NUMBER = /-?(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?![\w.])/y
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '/': '/',
}

class NoLiteral extends Error {}

/**
 * What a config in TypeScript or JavaScript says, where it is plain values and nothing else: an optional import of
 * `defineConfig`, and a default export of an object of texts, numbers, true, false, null, lists and objects, in
 * `defineConfig(...)` or bare.
 *
 * Reads and runs nothing. What it returns is what running the file would export.
 *
 * @returns `undefined` for a file that says anything else: only running it could show what
 */
export function readLiteral(text: string): Record<string, unknown> | undefined {
  try {
    return new LiteralReader(text).read()
  } catch (thrown) {
    if (thrown instanceof NoLiteral) return undefined
    throw thrown
  }
}

class LiteralReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): Record<string, unknown> {
    const imported = this.#take(IMPORT) !== undefined
    this.#need(EXPORT)
    const called = this.#take(CALL) !== undefined
    if (called && !imported) throw new NoLiteral()
    if (this.#peek() !== '{') throw new NoLiteral()
    const value = this.#object(0)
    if (called) {
      this.#skip(',')
      this.#expect(')')
    }
    this.#skip(';')
    if (this.#peek() !== '') throw new NoLiteral()
    return value
  }

  #value(depth: number): unknown {
    const next = this.#peek()
    if (depth > MAX_DEPTH) throw new NoLiteral()
    if (next === '{') return this.#object(depth)
    if (next === '[') return this.#list(depth)
    if (next === '"' || next === "'") return this.#string()
    const number = this.#take(NUMBER)
    if (number !== undefined) return Number(number.replaceAll('_', ''))
    const word = this.#need(NAME)
    if (!WORDS.has(word)) throw new NoLiteral()
    return WORDS.get(word)
  }

  #object(depth: number): Record<string, unknown> {
    const value: Record<string, unknown> = {}
    this.#expect('{')
    while (!this.#skip('}')) {
      const next = this.#peek()
      const key = next === '"' || next === "'" ? this.#string() : this.#need(NAME)
      // Written so, it would set a prototype and no field.
      if (key === '__proto__') throw new NoLiteral()
      this.#expect(':')
      value[key] = this.#value(depth + 1)
      if (!this.#skip(',') && this.#peek() !== '}') throw new NoLiteral()
    }
    return value
  }

  #list(depth: number): unknown[] {
    const values: unknown[] = []
    this.#expect('[')
    while (!this.#skip(']')) {
      values.push(this.#value(depth + 1))
      if (!this.#skip(',') && this.#peek() !== ']') throw new NoLiteral()
    }
    return values
  }

  #string(): string {
    const quote = this.#peek()
    let value = ''
    for (this.#at++; ; this.#at++) {
      const character = this.#text[this.#at]
      if (character === undefined || character === '\n' || character === '\r') throw new NoLiteral()
      if (character === quote) break
      if (character !== '\\') value += character
      else {
        this.#at++
        const meant = ESCAPES[this.#text[this.#at] ?? '']
        if (meant === undefined) throw new NoLiteral()
        value += meant
      }
    }
    this.#at++
    return value
  }

  /** The next character that counts; empty at the end. */
  #peek(): string {
    while (this.#match(SPACE) !== undefined);
    return this.#text[this.#at] ?? ''
  }

  #skip(character: string): boolean {
    if (this.#peek() !== character) return false
    this.#at++
    return true
  }

  #expect(character: string): void {
    if (!this.#skip(character)) throw new NoLiteral()
  }

  #take(pattern: RegExp): string | undefined {
    this.#peek()
    return this.#match(pattern)
  }

  #need(pattern: RegExp): string {
    const found = this.#take(pattern)
    if (found === undefined) throw new NoLiteral()
    return found
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }
}
