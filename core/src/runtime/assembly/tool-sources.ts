import type { Registry } from '../../contracts/plugin/plugin.ts'
import type { Tool } from '../../contracts/tool/tool.ts'
import type { ToolSource } from '../../contracts/tool/tool-source.ts'
import { matchesGlob } from '../../support/matches-glob.ts'

/** The tools of plugins, and those that sources have now. What a plugin registered stands. */
export function withSources(own: Registry<Tool>, sources: Registry<ToolSource>): Registry<Tool> {
  const all = (): ToolSource[] => sources.ids().flatMap((id) => sources.get(id) ?? [])
  const find = (id: string): Tool | undefined => {
    for (const source of all()) {
      const tool = matchesGlob(source.pattern, id) ? source.tools().find((one) => one.id === id) : undefined
      if (tool !== undefined) return tool
    }
    return undefined
  }
  return {
    add: (...item) => own.add(...item),
    get: (id) => own.get(id) ?? find(id),
    ids: () => {
      const ids = new Set(own.ids())
      for (const source of all())
        for (const tool of source.tools()) if (matchesGlob(source.pattern, tool.id)) ids.add(tool.id)
      return [...ids]
    },
    source: (id) => own.source(id) ?? sources.ids().find((name) => matchesGlob(sources.get(name)?.pattern ?? '', id)),
  }
}

/** Whether a source may bring a tool, now or later. @param wanted an id, or a glob of ids */
export const mayBring = ({ pattern }: Pick<ToolSource, 'pattern'>, wanted: string): boolean =>
  wanted.startsWith('*') || matchesGlob(pattern, wanted) || matchesGlob(wanted, pattern)
