import type { ServerResponse } from 'node:http'
import { SvcError, ValidationError } from '@svc/core'
import express, { type Request, type RequestHandler } from 'express'
import { checkFields, scanJson } from './json-text.ts'
import { stateOf } from './request-state.ts'

/** Reads JSON bodies of at most so many bytes. */
export type BodyReader = (request: Request) => Promise<unknown>

/**
 * @param maxBytes after decompression
 * @returns reads the body of a request; undefined where there is none
 */
export function createBodyReader(maxBytes: number, maxDepth: number): BodyReader {
  const counts = new WeakMap<object, number>()
  const refused = new WeakMap<object, SvcError>()
  const parse: RequestHandler = express.json({
    limit: maxBytes,
    type: () => true,
    verify(request, response, bytes) {
      stateOf(response as ServerResponse).bodyBytes = bytes.length
      try {
        counts.set(request, scanJson(bytes, maxDepth))
      } catch (thrown) {
        if (SvcError.isInstance(thrown)) refused.set(request, thrown)
        throw thrown
      }
    },
  })
  return async (request) => {
    if (!hasBody(request)) return undefined
    checkMediaType(request)
    await new Promise<void>((resolve, reject) => {
      parse(request, request.res as never, (thrown?: unknown) => {
        if (thrown === undefined) resolve()
        else reject(refused.get(request) ?? thrown)
      })
    })
    const body: unknown = request.body
    checkFields(body, counts.get(request) ?? 0)
    return body
  }
}

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** @throws ValidationError `unsupported_media_type` */
function checkMediaType({ headers }: Request): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-8"?$/.test(charset)
  // No page sends either of the two without being asked first whether it may.
  if (/^application\/(a2a\+)?json$/.test(type.trim()) && isUtf8) return
  throw new ValidationError('unsupported_media_type', 'the body must be "application/json" in UTF-8')
}
