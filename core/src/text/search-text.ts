/**
 * A text as a search in any case looks for it and at it: in lower case, with U+FFFD for what no database keeps as it is, NUL and
 * halves of signs. A store that passes `q` and the texts of tasks through it finds the same runs as those of svc do.
 */
export const toSearchText = (text: string): string => text.toLowerCase().replace(/\0|\p{Cs}/gu, '\ufffd')
