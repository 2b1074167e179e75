/** The bytes of a value, which the driver of SQLite hands over in one form or another; undefined for what has none. */
export function toBytes(value: unknown): Buffer | undefined {
  if (value instanceof ArrayBuffer) return Buffer.from(value)
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : undefined
}

/** The text of a column that was read as bytes, or as text. */
export const textOf = (value: unknown): string => String(toBytes(value) ?? value)

/** What SQLite would cut off, or keep as something else, and what begins as an escaped text does. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what the driver cuts texts at
const UNSAFE = /\u0000|\p{Cs}|^"/u

/** A text as it can be looked up: the driver ends texts at a NUL and changes lone surrogates. */
export const toKey = (text: string): string => (UNSAFE.test(text) ? JSON.stringify(text) : text)

/** The text of a key. */
export function fromKey(key: unknown): string {
  const text = textOf(key)
  return text.startsWith('"') ? JSON.parse(text) : text
}

/** The space of a store whose runs may be worked on from every folder. */
export const SHARED = '*'
