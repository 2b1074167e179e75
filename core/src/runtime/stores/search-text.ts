/**
 * A text as a search in any case looks for it and at it: in lower case, with U+FFFD for what no database keeps as it is, NUL and
 * halves of signs.
 */
export const toSearchText = (text: string): string => text.toLowerCase().replace(/\0|\p{Cs}/gu, '\ufffd')
