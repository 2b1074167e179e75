import type { IncomingMessage } from 'node:http'
import { ValidationError } from '@svc/core'

export const EVENT_STREAM = 'text/event-stream'
/** Of a route whose answer has the type that it has. */
export const ANY = '*/*'

/**
 * Which of the media types that a route has the client takes.
 *
 * @param offered the default first
 * @throws ValidationError `not_acceptable`
 */
export function negotiate({ headers }: IncomingMessage, offered: readonly string[]): string {
  const [first = 'application/json'] = offered
  const accept = headers.accept
  if (first === ANY || accept === undefined || accept.trim() === '') return first
  const ranges = accept.split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.trim().toLowerCase().split(';')
    const q = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find((value) => value !== undefined)
    return [{ range: range.trim(), q: q === undefined ? 1 : Number(q) }]
  })
  const qualityOf = (type: string): number => {
    const family = `${type.split('/')[0]}/*`
    for (const wanted of [type, family, '*/*']) {
      const found = ranges.find(({ range }) => range === wanted)
      if (found !== undefined) return found.q
    }
    return 0
  }
  const best = offered
    .map((type) => ({ type, q: qualityOf(type.split(';')[0] ?? type) }))
    .reduce((a, b) => (b.q > a.q ? b : a))
  if (best.q > 0) return best.type
  throw new ValidationError('not_acceptable', `this route answers ${offered.join(' or ')}`)
}
