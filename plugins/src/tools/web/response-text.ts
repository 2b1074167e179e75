import { SvcError, ToolError } from '@svc/core'
import { typeOfBinary } from '../files/file-type.ts'
import { htmlToText } from './html-text.ts'

export interface ResponseText {
  /** MIME type without parameters; empty when the other side said none. */
  readonly type: string
  readonly title: string
  readonly text: string
  /** Bytes that were read. */
  readonly bytes: number
  /** True when the body was longer than what was read. */
  readonly isCut: boolean
}

const TEXT_TYPES =
  /^(?:text\/.*|application\/(?:.*\+)?(?:json|xml|yaml|x-yaml|javascript|ecmascript|x-ndjson|jsonl|toml|graphql|x-sh|sql|x-www-form-urlencoded)|image\/svg\+xml|message\/.*)$/

/**
 * A response's body as text: web pages without their markup, JSON indented.
 *
 * @param maxBytes reads no more than this
 * @throws ToolError `tool_failed` when it is not text
 */
async function readResponse(response: Response, maxBytes: number): Promise<ResponseText> {
  const [type = '', ...parameters] = (response.headers.get('content-type') ?? '').split(';').map((part) => part.trim())
  const mimeType = type.toLowerCase()
  if (mimeType !== '' && !TEXT_TYPES.test(mimeType)) {
    await response.body?.cancel()
    const size = response.headers.get('content-length')
    throw new ToolError('tool_failed', `the answer is not text (${mimeType}${size === null ? '' : `, ${size} bytes`})`)
  }
  const { bytes, isCut } = await readBytes(response, maxBytes)
  if (mimeType === '') {
    const binary = typeOfBinary(bytes.subarray(0, 8192), '')
    if (binary !== undefined) throw new ToolError('tool_failed', `the answer is not text (${binary})`)
  }
  const charset = parameters.find((parameter) => parameter.toLowerCase().startsWith('charset='))
  const raw = decode(bytes, charset?.slice('charset='.length).replace(/^["']|["']$/g, ''))
  const base = { type: mimeType, bytes: bytes.length, isCut }
  if (mimeType === 'text/html' || mimeType === 'application/xhtml+xml') {
    return { ...base, ...(await htmlToText(raw, response.url || undefined)) }
  }
  const isJson = mimeType === 'application/json' || mimeType.endsWith('+json')
  return { ...base, title: '', text: isJson && !isCut ? indent(raw) : raw }
}

/**
 * Sends a request; a failure becomes a sentence.
 *
 * @throws ToolError `tool_failed` where the host cannot be reached or answers with a status from 400, retryable for 429
 *   and from 500; the signal's reason; what the guard throws
 */
async function fetchOk(fetcher: typeof fetch, url: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetcher(url, init)
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason
    throw toReachError(error, url)
  }
  if (response.status < 400) return response
  const shown = await readResponse(response, 16_384).then(
    ({ title, text }) => (title || text).replace(/\s+/g, ' ').slice(0, 300),
    () => '',
  )
  const said = `${originOf(url)} answered ${response.status}${response.statusText ? ` ${response.statusText}` : ''}`
  throw new ToolError('tool_failed', shown === '' ? said : `${said}: ${shown}`, {
    retryable: response.status === 429 || response.status >= 500,
    details: { status: response.status },
  })
}

/**
 * Sends a request and reads its answer.
 *
 * @throws as `fetchOk` and `readResponse` do
 */
export async function fetchText(
  fetcher: typeof fetch,
  url: string,
  init: RequestInit,
  maxBytes: number,
): Promise<ResponseText & { readonly response: Response }> {
  const response = await fetchOk(fetcher, url, init)
  try {
    return { response, ...(await readResponse(response, maxBytes)) }
  } catch (error) {
    throw init.signal?.aborted ? init.signal.reason : toReachError(error, url)
  }
}

/** A failure to reach a host, or to read what it sends, as a sentence. */
function toReachError(error: unknown, url: string): unknown {
  if (SvcError.isInstance(error)) return error
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : undefined
  const said = reason instanceof Error ? reason.message || code : String(reason)
  return new ToolError('tool_failed', `${originOf(url)} could not be reached: ${said ?? 'unknown reason'}`, {
    cause: error,
    retryable: true,
  })
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'the host'
}

async function readBytes(response: Response, maxBytes: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Uint8Array[] = []
  let length = 0
  let isCut = false
  if (response.body !== null) {
    const reader = response.body.getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      chunks.push(part.value)
      length += part.value.length
      if (length > maxBytes) {
        isCut = true
        await reader.cancel()
        break
      }
    }
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut }
}

function decode(bytes: Uint8Array, charset: string | undefined): string {
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(bytes)
  } catch {
    return new TextDecoder('utf-8').decode(bytes) // a charset that nobody knows
  }
}

function indent(raw: string): string {
  try {
    return JSON.stringify(JSON.parse(raw), null, 2)
  } catch {
    return raw
  }
}
