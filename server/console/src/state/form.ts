import type { JsonSchema } from '@svc/core/client'

/** One entry of a form. */
export interface FormField {
  /** Name of the property; empty where the whole answer is one value. */
  name: string
  kind: 'text' | 'number' | 'boolean' | 'choice' | 'json' | 'fixed'
  label: string
  isRequired: boolean
  /** Of a choice: the values, in their order. */
  choices: readonly unknown[]
  /** Of a fixed entry: its value. */
  value?: unknown
}

const KINDS: Readonly<Record<string, FormField['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
}

/** The entries that a person fills in for an answer of a JSON Schema; one of plain text where there is none. */
export function fieldsOf(schema: JsonSchema | undefined): FormField[] {
  const { properties, required } = (schema ?? {}) as { properties?: Record<string, JsonSchema>; required?: string[] }
  if (properties === undefined) return [toField('', schema ?? { type: 'string' }, true)]
  return Object.entries(properties).map(([name, part]) => toField(name, part, required?.includes(name) === true))
}

function toField(name: string, schema: JsonSchema, isRequired: boolean): FormField {
  const { type, enum: choices, description, title } = schema as Record<string, unknown>
  const label = [title, description].find((text) => typeof text === 'string') ?? (name || 'Answer')
  const field = { name, label: String(label), isRequired, choices: [] }
  if ('const' in schema) return { ...field, kind: 'fixed', value: schema.const }
  if (Array.isArray(choices)) return { ...field, kind: 'choice', choices }
  return { ...field, kind: KINDS[String(type)] ?? 'json' }
}

/** What a choice is called: `null` says that nobody knows. */
export const choiceLabel = (value: unknown): string =>
  value === null ? 'I do not know' : typeof value === 'string' ? value : JSON.stringify(value)

/**
 * The answer out of what was entered by field name; empty entries that nobody requires are left out.
 *
 * @returns the value, or by field what is wrong with the entry
 */
export function toAnswer(
  fields: readonly FormField[],
  entered: ReadonlyMap<string, string>,
): { value: unknown } | { errors: ReadonlyMap<string, string> } {
  const errors = new Map<string, string>()
  const values: [string, unknown][] = []
  for (const field of fields) {
    const text = entered.get(field.name) ?? ''
    const isEmpty = field.kind !== 'fixed' && field.kind !== 'boolean' && text.trim() === ''
    if (isEmpty && !field.isRequired) continue
    if (isEmpty) errors.set(field.name, field.kind === 'choice' ? 'Choose one.' : 'This is needed.')
    else {
      const value = toValue(field, text)
      if (value === INVALID)
        errors.set(
          field.name,
          field.kind === 'number' ? `"${text}" is no number.` : 'This is no JSON, such as {"a": 1}.',
        )
      else values.push([field.name, value])
    }
  }
  if (errors.size > 0) return { errors }
  return { value: fields[0]?.name === '' ? values[0]?.[1] : Object.fromEntries(values) }
}

const INVALID = Symbol('invalid')

function toValue({ kind, choices, value }: FormField, text: string): unknown {
  switch (kind) {
    case 'fixed':
      return value
    case 'text':
      return text
    case 'boolean':
      return text === 'true'
    case 'choice':
      return choices[Number(text)]
    case 'number':
      return Number.isFinite(Number(text)) ? Number(text) : INVALID
    case 'json':
      try {
        return JSON.parse(text)
      } catch {
        return INVALID
      }
  }
}
