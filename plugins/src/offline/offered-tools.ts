import type { ToolSpec } from '@svc/core'

/** What the provider can do with a tool that it knows how to read. */
export type Ability = 'list' | 'read' | 'search' | 'calculate'

/** An offered tool that has an ability, and how its parameters are called. */
export interface AbleTool {
  readonly id: string
  readonly parameters: ReadonlySet<string>
  /** The parameter that carries the path, the query or the expression. */
  readonly main: string
}

interface AbilityFacts {
  readonly id: string
  /** The words of a tool's id and description that tell the ability, all needed. */
  readonly words: readonly RegExp[]
  readonly mains: readonly string[]
}

const ABILITIES: Readonly<Record<Ability, AbilityFacts>> = {
  list: {
    id: 'list_files',
    words: [/\b(list|tree)/, /\b(file|folder|director)/],
    mains: ['path', 'dir', 'directory', 'folder'],
  },
  read: { id: 'read_file', words: [/\bread/, /\b(file|text)/], mains: ['path', 'file', 'file_path', 'filename'] },
  search: {
    id: 'search_files',
    words: [/\b(search|grep|find)/, /\bfile/],
    mains: ['query', 'pattern', 'text', 'regex'],
  },
  calculate: {
    id: 'calculate',
    words: [/\b(calculat|evaluate|arithmetic)/],
    mains: ['expression', 'formula', 'input'],
  },
}

/** Names of the parameters of a tool. */
function parametersOf(spec: ToolSpec): Record<string, unknown> {
  const properties = spec.parameters.properties
  return typeof properties === 'object' && properties !== null ? { ...properties } : {}
}

/** Which of the offered tools lists, reads, searches and so on: by its id, else by the words of id and description. */
export class OfferedTools {
  readonly specs: readonly ToolSpec[]
  private readonly able = new Map<Ability, AbleTool>()

  constructor(specs: readonly ToolSpec[]) {
    this.specs = specs
    for (const ability of Object.keys(ABILITIES) as Ability[]) {
      const facts = ABILITIES[ability]
      const named = specs.find((spec) => spec.id === facts.id)
      const tool = named ? asAble(named, facts) : this.findByWords(facts)
      if (tool) this.able.set(ability, tool)
    }
  }

  get(ability: Ability): AbleTool | undefined {
    return this.able.get(ability)
  }

  private findByWords(facts: AbilityFacts): AbleTool | undefined {
    for (const spec of this.specs) {
      const text = `${spec.id.replace(/[_.-]/g, ' ')} ${spec.description.split(/[.\n]/)[0] ?? ''}`.toLowerCase()
      const idText = spec.id.replace(/[_.-]/g, ' ').toLowerCase()
      if (!facts.words.every((word) => word.test(text)) || !facts.words.some((word) => word.test(idText))) continue
      const tool = asAble(spec, facts)
      if (tool) return tool
    }
    return undefined
  }
}

function asAble(spec: ToolSpec, facts: AbilityFacts): AbleTool | undefined {
  const parameters = new Set(Object.keys(parametersOf(spec)))
  const main = facts.mains.find((name) => parameters.has(name))
  return main === undefined ? undefined : { id: spec.id, parameters, main }
}
