import { hash } from 'node:crypto'
import { corrupt } from './damage.ts'

/** Shorter ones stay in the request. */
const LONG = 8_192
/** The fields of a request that may be long. */
const FIELDS = ['turns', 'context'] as const
/** Stands in the place of what is kept beside a request; no field of one has such a name. */
const MARK = '-payload'

type Fields = Readonly<Record<string, unknown>>
type Part = { data?: unknown; context?: unknown }

/**
 * What a run was asked for, with its long parts beside it: images and PDFs as bytes, each once however many runs of a
 * conversation bring it along, and the conversation as JSON. So lists of runs read none of it.
 *
 * @param long gets these parts, by their SHA-256
 */
export function toShort(request: Fields, long: Map<string, Buffer>): Fields {
  const put = (bytes: Buffer): string => {
    const ref = hash('sha256', bytes)
    long.set(ref, bytes)
    return ref
  }
  const create: Record<string, unknown> = { ...(request.create as object) }
  for (const field of FIELDS) {
    if (!Array.isArray(create[field])) continue
    const parts = create[field].map((part: Part) => shortPart(part, put))
    const json = JSON.stringify(parts)
    create[field] = json.length > LONG ? { [MARK]: put(Buffer.from(json)) } : parts
  }
  return { ...request, create }
}

function shortPart(part: Part, put: (bytes: Buffer) => string): Part {
  if (Array.isArray(part.context)) return { ...part, context: part.context.map((inner: Part) => shortPart(inner, put)) }
  if (typeof part.data !== 'string' || part.data.length <= LONG) return part
  const bytes = Buffer.from(part.data, 'base64')
  // What was written another way would not come back as it was.
  return bytes.toString('base64') === part.data ? { ...part, data: { [MARK]: put(bytes) } } : part
}

/**
 * The request as it was, which reads its long parts when they are asked for.
 *
 * @param get finds bytes by their SHA-256
 * @throws RunError `log_corrupt`, when a part is asked for that is not there any more
 */
export function toLong(request: Fields, runId: string, get: (ref: string) => Uint8Array | undefined): Fields {
  const read = (ref: string): Buffer => {
    const bytes = get(ref)
    if (bytes === undefined) throw corrupt(runId, 'what came with its task')
    return Buffer.from(bytes)
  }
  const create = { ...(request.create as Record<string, unknown>) }
  for (const field of FIELDS) {
    const kept = create[field]
    const ref = refOf(kept)
    if (ref !== undefined)
      lazily(create, field, () =>
        (JSON.parse(read(ref).toString('utf8')) as Part[]).map((part) => longPart(part, read)),
      )
    else if (Array.isArray(kept)) create[field] = kept.map((part: Part) => longPart(part, read))
  }
  return { ...request, create }
}

function longPart(part: Part, read: (ref: string) => Buffer): Part {
  if (Array.isArray(part.context)) return { ...part, context: part.context.map((inner: Part) => longPart(inner, read)) }
  const ref = refOf(part.data)
  if (ref === undefined) return part
  const whole = { ...part }
  lazily(whole, 'data', () => read(ref).toString('base64'))
  return whole
}

const refOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && MARK in value ? String(value[MARK]) : undefined

/** A field that is read when it is first asked for, and looks like any other. */
function lazily(target: object, field: string, read: () => unknown): void {
  let value: { read: unknown } | undefined
  Object.defineProperty(target, field, {
    enumerable: true,
    configurable: true,
    get() {
      value ??= { read: read() }
      return value.read
    },
  })
}
