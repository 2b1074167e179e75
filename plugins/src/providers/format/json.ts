/** Reading of JSON that a server sent: nothing is taken for granted. */
export type Json = { readonly [key: string]: unknown }

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value as an object; an empty one when it is anything else. */
export const toRecord = (value: unknown): Json => (isRecord(value) ? value : {})

/** The value as a list; an empty one when it is anything else. */
export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The value as a string; an empty one when it is anything else. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The value as a count; undefined when it is no whole number from 0. */
export const toCount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
