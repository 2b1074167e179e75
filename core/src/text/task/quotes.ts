/** Quotations in a text that is cut into parts. */

/** A text that stands in quotation marks as a whole, without them. */
export const withoutOuterQuotes = (text: string): string =>
  text.length > 1 && text.startsWith('"') && text.indexOf('"', 1) === text.length - 1 ? text.slice(1, -1).trim() : text

/** What is quoted is material: its spaces and marks are hidden while the text around it is cut. */
const HIDDEN = ' ,;.?!:\n'
const QUOTED = /"[^"\n]{1,2000}"|“[^”\n]{1,2000}”|`[^`\n]{1,2000}`|(?<![\p{L}\p{N}])'[^'\n]{1,200}'(?![\p{L}\p{N}])/gu
const FIRST_MASK = 0xe100

export const maskQuotes = (text: string): string =>
  /["“`']/.test(text)
    ? text.replace(QUOTED, (quote) =>
        quote.replace(/[ ,;.?!:\n]/g, (mark) => String.fromCharCode(FIRST_MASK + HIDDEN.indexOf(mark))),
      )
    : text
export const unmask = (text: string): string =>
  text.replace(/[\ue100-\ue107]/g, (mark) => HIDDEN.charAt(mark.charCodeAt(0) - FIRST_MASK))
