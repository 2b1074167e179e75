import { crc32 } from 'node:zlib'
import type { Row } from './sqlite.ts'

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

/** The value of a row; undefined where the row is damaged or holds something else. */
export function unseal<T>({ body, crc }: Row, isOne: (value: unknown) => value is T): T | undefined {
  if (typeof body !== 'string' || crc32(body) !== crc) return undefined
  try {
    const value: unknown = JSON.parse(body)
    return isOne(value) ? value : undefined
  } catch {
    return undefined
  }
}
