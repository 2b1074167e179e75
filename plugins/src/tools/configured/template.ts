/** Texts with `{name}` in the place of an argument; `{{name}}` is the text `{name}` itself. */

const MARK = /\{\{([A-Za-z_][A-Za-z0-9_-]*)\}\}|\{([A-Za-z_][A-Za-z0-9_-]*)\}/g

/** Names of the arguments that a text mentions. */
export function namesIn(template: string): string[] {
  return [...template.matchAll(MARK)].map((match) => match[2]).filter((name) => name !== undefined)
}

/** The name of the argument that a text consists of, where it is nothing else. */
export function onlyName(template: string): string | undefined {
  const [first] = namesIn(template)
  return first !== undefined && template === `{${first}}` ? first : undefined
}

/** The text with its arguments in place, each made a text by `encode`; one that was not given is empty. */
export function fill(
  template: string,
  args: Readonly<Record<string, unknown>>,
  encode: (value: string) => string,
): string {
  return template.replace(MARK, (_mark: string, kept?: string, name?: string) =>
    name === undefined ? `{${kept ?? ''}}` : encode(toText(ownValue(args, name))),
  )
}

/** Every text within a JSON value filled; a text that is one argument and nothing else becomes its value. */
export function fillJson(template: unknown, args: Readonly<Record<string, unknown>>): unknown {
  if (typeof template === 'string') {
    const name = onlyName(template)
    return name === undefined ? fill(template, args, (value) => value) : ownValue(args, name)
  }
  if (Array.isArray(template)) return template.map((item) => fillJson(item, args))
  if (typeof template !== 'object' || template === null) return template
  const filled = Object.entries(template).map(([key, value]) => [key, fillJson(value, args)] as const)
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined))
}

/** Names of the arguments that a JSON value mentions. */
export function namesInJson(template: unknown): string[] {
  if (typeof template === 'string') return namesIn(template)
  return typeof template === 'object' && template !== null ? Object.values(template).flatMap(namesInJson) : []
}

/** An argument as a text; lists and objects as JSON. */
export function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

export function ownValue(args: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined
}
