/** Small builders that keep units and bounds the same in every contract. */

import type { Static, TObjectOptions, TOptional, TProperties, TSchema } from 'typebox'
import * as Type from 'typebox'

/** JSON Schema as plain data: what a tool, a provider or a file may carry. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** A number in [0, 1]. */
export const Fraction = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

/** A whole number >= 0. */
export const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** A whole number of tokens >= 0. */
export const Tokens = Count

/** A duration in milliseconds >= 0. */
export const Milliseconds = (description: string) => Type.Number({ minimum: 0, description })

/** A moment as a UTC ISO-8601 string with milliseconds. */
export const IsoTime = (description: string) => Type.String({ minLength: 20, description })

/** US dollars; null means unpriced, never 0. */
export const CostUsd = Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
  description: 'US dollars; null means that no price is known',
})

/** Text without further limits. */
export const Text = (description: string) => Type.String({ description })

/** A list of strings. */
export const Texts = (description: string) => Type.Array(Type.String(), { description })

/**
 * A value under any name that fits a pattern. The same as `Type.Record`, which brings along an engine for types that is
 * more code than all other builders together.
 */
export const ByName = <Value extends TSchema>(value: Value, options: TObjectOptions = {}, pattern = '^.*$') =>
  Type.Unsafe<Record<string, Static<Value>>>({ type: 'object', patternProperties: { [pattern]: value }, ...options })

/** The same fields, each of which may be left out. The same as `Type.Partial`, without that engine. */
export const allOptional = <Fields extends TProperties>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Type.Optional(field)])) as {
    [Name in keyof Fields]: TOptional<Fields[Name]>
  }

/**
 * A value under each word of an enumeration. The same as `Type.Record`, whose work on the union of keys takes a
 * good part of the time in which all schemas are made.
 */
export const ForEach = <Word extends string, Value extends TSchema>(
  words: { readonly enum: readonly Word[] },
  value: Value,
  description?: string,
) => {
  const properties = Object.fromEntries(words.enum.map((word) => [word, value])) as { [W in Word]: Value }
  return Type.Object(properties, description === undefined ? {} : { description })
}

/** A schema whose static type is given by hand, where JSON Schema says less than TypeScript can. */
export const Opaque = <T>(description: string) => Type.Unsafe<T>(Type.Unknown({ description }) as TSchema)
