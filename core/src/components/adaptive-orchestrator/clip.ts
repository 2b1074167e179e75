import { estimateTokens } from '../../text/index.ts'

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** At most so many characters, the cut said in words. */
export const clip = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}\n[… ${text.length - most} characters left out]`

/** The start of a text, at most so many tokens by estimate. */
export function cutToTokens(text: string, tokens: number): string {
  let end = Math.min(text.length, tokens * 5)
  while (end > 0 && estimateTokens(text.slice(0, end)) > tokens) end = Math.floor(end * 0.85)
  return text.slice(0, end)
}
