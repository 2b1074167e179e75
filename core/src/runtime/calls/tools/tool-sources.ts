import type { StepRow } from '../../../contracts/log/journal.ts'
import type { Registry } from '../../../contracts/plugin/plugin.ts'
import type { RunOptions } from '../../../contracts/run/run.ts'
import type { Store } from '../../../contracts/store/store.ts'
import type { Tool, ToolInfo } from '../../../contracts/tool/tool.ts'
import type { ToolSource } from '../../../contracts/tool/tool-source.ts'
import type { Warning } from '../../../contracts/warning.ts'
import { matchesGlob } from '../../../support/settings/matches-glob.ts'

interface Sources {
  readonly toolSources: Registry<ToolSource>
}

const sourcesOf = ({ toolSources }: Sources): ToolSource[] =>
  toolSources.ids().flatMap((id) => toolSources.get(id) ?? [])

/** The tools of plugins, and those that sources have now. What a plugin registered stands. */
export function withSources(own: Registry<Tool>, sources: Registry<ToolSource>): Registry<Tool> {
  const all = (): ToolSource[] => sourcesOf({ toolSources: sources })
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
const mayBring = ({ pattern }: Pick<ToolSource, 'pattern'>, wanted: string): boolean =>
  wanted.startsWith('*') || matchesGlob(pattern, wanted) || matchesGlob(wanted, pattern)

/** Under which key a run records which tools of sources it is offered. */
export const TOOLS_KEY = 'tools'

/** How often it is looked whether a run that waits for its tools is to end. */
const LOOK_MS = 500

/** Whether a request may name tools so although none of them is known yet. */
export const mayBeBrought = (env: Sources, wanted: string): boolean =>
  sourcesOf(env).some((source) => mayBring(source, wanted))

const isOfSource = (env: Sources, id: string): boolean => sourcesOf(env).some(({ pattern }) => matchesGlob(pattern, id))

/** Has the sources find out which tools they have that a run may use, until it is to end. @returns what to warn of */
export async function prepareSources(
  env: Sources,
  { allow }: NonNullable<RunOptions['tools']>,
  isToEnd: () => Promise<boolean>,
): Promise<Warning[]> {
  const wanted = sourcesOf(env).filter((source) => allow?.some((glob) => mayBring(source, glob)) ?? true)
  const asked = wanted.flatMap((source) => source.prepare?.() ?? [])
  if (asked.length === 0) return []
  let timer: NodeJS.Timeout | undefined
  const ended = new Promise<void>((resolve) => {
    timer = setInterval(
      () =>
        void isToEnd()
          .then((isSo) => isSo && resolve())
          .catch(() => {}),
      LOOK_MS,
    )
  })
  const warnings: Warning[] = []
  const prepared = asked.map(async (source) => void warnings.push(...(await source)))
  await Promise.race([Promise.all(prepared), ended]).finally(() => clearInterval(timer))
  return warnings
}

/** The tools of sources that a run was offered when it began; undefined where it has not begun, or there were none. */
export async function readBrought(
  { payloads }: Pick<Store, 'payloads'>,
  steps: readonly StepRow[],
): Promise<readonly ToolInfo[] | undefined> {
  const recorded = steps.find(({ key }) => key === TOOLS_KEY)?.outcome as { ref: string } | undefined
  const bytes = recorded && (await payloads.get(recorded.ref))
  return bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as ToolInfo[])
}

/** The tools that a run is offered: those that were recorded of it stand in the place of what sources have now. */
export function withBrought(
  env: Sources & { readonly tools: Registry<Tool> },
  tools: readonly ToolInfo[],
  recorded: readonly ToolInfo[],
): readonly ToolInfo[] {
  const known = new Set(recorded.map(({ id }) => id))
  const own = tools.filter(({ id }) => !known.has(id) && !isOfSource(env, id))
  return [...own, ...recorded.filter(({ id }) => env.tools.get(id) !== undefined || mayBeBrought(env, id))]
}

/** Those of a run's tools that sources brought, to be recorded; undefined where there are no sources. */
export const broughtOf = (env: Sources, tools: readonly ToolInfo[]): readonly ToolInfo[] | undefined =>
  env.toolSources.ids().length === 0 ? undefined : tools.filter(({ id }) => isOfSource(env, id))
