import type { ToolSpec } from '@svc/core'

/** Built-in tools that the provider uses by itself. */
const ABILITIES = {
  list: { id: 'list_files', main: 'path' },
  read: { id: 'read_file', main: 'path' },
  search: { id: 'search_files', main: 'query' },
  calculate: { id: 'calculate', main: 'expression' },
  remember: { id: 'remember', main: 'content' },
  recall: { id: 'recall', main: 'query' },
} as const

export type Ability = keyof typeof ABILITIES

/** An offered tool that has an ability. */
export interface AbleTool {
  readonly id: string
  readonly parameters: ReadonlySet<string>
  /** The parameter that carries the path, the query, the expression or the content. */
  readonly main: string
}

/** Which of the offered tools lists, reads, searches and calculates. */
export class OfferedTools {
  readonly specs: readonly ToolSpec[]

  constructor(specs: readonly ToolSpec[]) {
    this.specs = specs
  }

  get(ability: Ability): AbleTool | undefined {
    const { id, main } = ABILITIES[ability]
    const spec = this.specs.find((other) => other.id === id)
    return spec && { id, main, parameters: new Set(Object.keys(spec.parameters.properties ?? {})) }
  }
}
