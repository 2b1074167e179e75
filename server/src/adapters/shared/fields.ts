import { type MediaPart, ValidationError } from '@svc/core'
import { findMediaFault } from '@svc/core/text'
import type { Static, TSchema } from 'typebox'
import * as Type from 'typebox'

interface Plain {
  type?: string
  enum?: readonly unknown[]
}

/** A field that may also be null, which says no more than leaving it out: many clients send all fields that they know. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  const plain = schema as Plain
  const wider = {
    ...schema,
    ...(plain.type !== undefined && { type: [plain.type, 'null'] }),
    ...(plain.enum !== undefined && { enum: [...plain.enum, null] }),
  }
  return Type.Optional(Type.Unsafe<Static<Schema> | null>(wider as TSchema))
}

/**
 * Refuses a request for one field of it.
 *
 * @param path JSON pointer of the field
 * @throws ValidationError `validation_failed`, always
 */
export function refuse(path: string, message: string): never {
  throw new ValidationError('validation_failed', `${path} ${message}`, { errors: [{ path, message }] })
}

/** An object of a body, whose fields are looked at one by one. @throws ValidationError */
export function objectOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  return refuse(path, 'must be an object')
}

/** @throws ValidationError */
export function textOf(value: unknown, path: string): string {
  return typeof value === 'string' ? value : refuse(path, 'must be a text')
}

/** An image or a PDF that models can be sent. @throws ValidationError */
export function mediaOf(part: MediaPart, path: string): MediaPart {
  const fault = findMediaFault(part)
  return fault === undefined ? part : refuse(path, fault)
}

/** JSON of a client, or the text itself where its model made none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
