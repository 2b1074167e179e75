/** C0 and C1 controls but tab and newline, and the marks that reorder text: nothing that a model writes may steer what shows it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it finds
export const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** Marks that a person does not see; those that a picture is made of are let through. */
const UNSEEN =
  /((?<=\p{ExtPict})\ufe0f|(?<=\p{ExtPict}[\ufe0f\p{EMod}]?)\u200d(?=\p{ExtPict}))|[\p{DI}\u2028\u2029\u2800\ufff9-\ufffb]/gu

/**
 * A text that a person is asked about or looks up, with everything in it to be seen: what controls a terminal, what takes
 * no space and what changes the direction stands as its code, such as `\u{200b}`.
 */
export const toVisible = (text: string): string => escapeUnseen(text, toCode)

/** The same for JSON: what cannot be seen stands as an escape that says the same. */
export const toVisibleJson = (json: string): string => escapeUnseen(json, toJsonEscape)

const escapeUnseen = (text: string, encode: (mark: string) => string): string =>
  text.replace(UNSEEN, (mark, ofPicture) => (ofPicture === undefined ? encode(mark) : mark)).replace(UNSAFE, encode)

/** A sign as its code. */
export const toCode = (mark: string): string => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`

const toJsonEscape = (mark: string): string =>
  mark.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
