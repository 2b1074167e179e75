import type { ToolSpec } from '@svc/core'

/** `Use <tool> on <argument>`. */
export interface Order {
  readonly tool: string
  /** True: its words say that this is the name of a tool. */
  readonly isTool: boolean
  /** What follows "on" or "with", as it is written; empty where nothing does. */
  readonly argument: string
}

const ORDER =
  /^(?:please\s+|can you\s+|could you\s+)?(use|call|run|invoke)\s+(?:the\s+)?(tool\s+)?([`"']?)([A-Za-z][\w-]*)(?:\(\))?\3(?![\w./-])(\s+tool\b)?(?:\s+(on|with|for|to)\b\s*([\s\S]*))?/i
/** Words before "tool" that name none: "use the right tool". */
const NO_NAME: ReadonlySet<string> = new Set(
  'a an any the this that your my some right best each every which tool other'.split(' '),
)

export function readOrder(text: string): Order | undefined {
  const [, verb = '', before, , tool = '', after, link = '', argument = ''] = ORDER.exec(text.trim()) ?? []
  if (tool === '' || NO_NAME.has(tool.toLowerCase())) return undefined
  const isApplied = /^(?:use|call|invoke)$/i.test(verb) && (/^on$/i.test(link) || /^[`"']|^\S*[/.]\w/.test(argument))
  const isTool = before !== undefined || after !== undefined || /[a-z\d]_[a-z\d]/i.test(tool) || isApplied
  return { tool, isTool, argument: argument.trim() }
}

const QUOTED = /(["`'])((?:(?!\1)[^\n])+)\1(?!\w)/g

/**
 * The arguments that an order gives a tool: those with their names, and the rest for the first parameter that has none.
 *
 * @returns the name of the required parameter that has no value, where one is missing
 */
export function readArguments({ argument }: Order, { parameters }: ToolSpec): Record<string, unknown> | string {
  const { properties, required } = parameters
  const schemas: Record<string, { type?: unknown }> =
    typeof properties === 'object' && properties !== null ? { ...properties } : {}
  const needed = Array.isArray(required) ? required.map(String) : []
  const args: Record<string, unknown> = {}
  let rest = argument
  for (const name of Object.keys(schemas)) {
    const plain = name.replace(/\W/g, '.')
    const labelled = new RegExp(
      `(?<![\\w])(?:the\\s+)?${plain}\\s?(?:(?:=|:|is\\b)\\s?)?(["'\`])([\\s\\S]+?)\\1(?!\\w)|\\b${plain}\\s?[=:]\\s?(\\S+)`,
      'i',
    ).exec(rest)
    const value = labelled ? toValue(labelled[2] ?? labelled[3] ?? '', schemas[name]?.type) : undefined
    if (!labelled || value === undefined) continue
    args[name] = value
    rest = rest.replace(labelled[0], ' ')
  }
  const quoted = [...rest.matchAll(QUOTED)].map((match) => match[2] ?? '')
  const bare = rest.trim().replace(/\splease[?!.]{0,5}$|[?!.]{1,5}$/i, '')
  const open = [...needed, ...Object.keys(schemas)].filter((name) => !(name in args))
  for (const name of new Set(open)) {
    const said = quoted.length > 0 ? quoted.shift() : Object.keys(args).length === 0 ? bare : ''
    // a quotation that is not closed, or the name alone, is what is left of an argument that was cut
    const isCut = said === undefined || said === '' || said === name || /^(?:\S+\s+)?["`]/.test(said)
    const value = isCut ? undefined : toValue(said, schemas[name]?.type)
    if (value !== undefined) args[name] = value
    else if (needed.includes(name)) return name
    else if (!needed.some((other) => !(other in args))) break
  }
  return args
}

function toValue(said: string, type: unknown): unknown {
  if (type === undefined || type === 'string') return said
  if (type === 'number' || type === 'integer')
    return /^-?\d+(?:\.\d+)?$/.test(said) && (type === 'number' || /^-?\d+$/.test(said)) ? Number(said) : undefined
  if (type === 'boolean') return /^(?:true|false)$/i.test(said) ? /^true$/i.test(said) : undefined
  return undefined
}
