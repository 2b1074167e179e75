import { ValidationError } from '@svc/core'
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

/** @throws ValidationError `validation_failed` about one field, always */
export function refuse(path: string, message: string): never {
  throw new ValidationError('validation_failed', `${toParam(path)}: ${message}`, { errors: [{ path, message }] })
}

/** A field as OpenAI names it, of its JSON pointer: `messages[0].content`. */
export const toParam = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('')

/** An object of a body, whose fields are looked at one by one. @throws ValidationError */
export function objectOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  return refuse(path, 'must be an object')
}

/** @throws ValidationError */
export function textOf(value: unknown, path: string): string {
  return typeof value === 'string' ? value : refuse(path, 'must be a text')
}
