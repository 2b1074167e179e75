import { crc32 } from 'node:zlib'
import { toBytes } from './keys.ts'

type Row = Readonly<Record<string, unknown>>

/** A value as a row keeps it. */
export interface Sealed {
  body: string
  crc: number
}

/** A value as JSON with its checksum, which finds what a disk has changed. */
export function seal(value: unknown): Sealed {
  const body = JSON.stringify(value)
  return { body, crc: crc32(body) }
}

/** The body of a row that is as it was written, be it read as text or as bytes; else undefined. */
export function wholeText({ body, crc }: Row): string | undefined {
  const whole = toBytes(body) ?? body
  if (!Buffer.isBuffer(whole) && typeof whole !== 'string') return undefined
  return crc32(whole) === crc ? String(whole) : undefined
}
