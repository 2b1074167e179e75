import { toName } from './names.ts'

const URL = /\bhttps?:\/\/[^\s<>"'`)\]}|\\]{1,2000}/gi

/** The web addresses of a text as they are written, without the punctuation behind them. */
export const findUrls = (text: string): string[] =>
  text.includes('://') ? (text.match(URL) ?? []).map((url) => toName(url).replace(/[.,;:!?*_]{1,8}$/, '')) : []

/** A text without its web addresses. */
export const withoutUrls = (text: string): string => text.replace(URL, (url) => ` ${url.slice(toName(url).length)}`)
