import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Host, type ModelProvider, type Plugin, type StoreFactory, startRuntime, type Tool } from '@svc/core'
import type { Replacement } from '@svc/core/config'
import { checkPlugin, checkProvider, checkStore, checkTool, type ProviderCheckOptions } from '@svc/core/testing'
import { createProvider, toTool } from '@svc/plugins'
import { type Card, toCard } from './card.ts'
import { FAILING, SLOW, wireAnswers } from './wire-answers.ts'

export interface CheckOptions {
  /** Arguments of a tool, or options of a plugin. */
  args?: unknown
  /** Whether a described provider may be asked over the network. */
  online: boolean
  env: Readonly<Record<string, string | undefined>>
}

/** Checks what a file has, and what its plugin registers. */
export async function checkReplacement(found: Replacement, options: CheckOptions): Promise<Card[]> {
  const { id, file } = found
  switch (found.kind) {
    case 'plugin':
      return checkWholePlugin((made) => found.make(made), file, options.args)
    case 'tool':
      return [await checkOneTool(() => toTool(id, found.config), file, options.args)]
    case 'provider':
      return [await checkDescribedProvider(found, options)]
    case 'agent': {
      const rule = { rule: 'fields', says: 'its fields are those of an agent profile', findings: [] }
      return [await toCard({ kind: 'agent', name: id, source: file }, async (on) => on({ ...rule, result: 'ok' }))]
    }
  }
}

/** A plugin, and each tool, provider and store that it registers. */
export async function checkWholePlugin(
  make: (options?: object) => Plugin,
  source: string,
  options: unknown,
): Promise<Card[]> {
  const makePlugin = (): Plugin => make(options as object | undefined)
  const { name } = makePlugin()
  const cards = [await toCard({ kind: 'plugin', name, source }, (onRule) => checkPlugin(makePlugin, { onRule }))]
  const parts = await registeredBy(makePlugin).catch(() => undefined)
  if (parts === undefined) return cards
  for (const id of parts.tools)
    cards.push(await checkOneTool(async () => (await registeredBy(makePlugin)).tool(id), source))
  for (const id of parts.providers) {
    const makeOne = async (): Promise<ModelProvider> => (await registeredBy(makePlugin)).provider(id)
    cards.push(await checkOneProvider(id, makeOne, source))
  }
  for (const scheme of parts.stores) cards.push(await checkOneStore(scheme, parts.store(scheme), source))
  return cards
}

/** What a plugin adds to the registries of its host. */
async function registeredBy(makePlugin: () => Plugin) {
  let host: Host | undefined
  const witness: Plugin = {
    name: 'check-witness',
    apply: (given) => {
      host = given
    },
  }
  const runtime = await startRuntime({ plugins: [{ plugin: makePlugin() }, { plugin: witness }], claims: 'none' })
  await runtime.close()
  const { tools, providers, stores } = host as unknown as Host
  return {
    tools: tools.ids(),
    providers: providers.ids(),
    stores: stores.ids(),
    tool: (id: string) => tools.get(id) as Tool,
    provider: (id: string) => providers.get(id) as ModelProvider,
    store: (id: string) => stores.get(id) as StoreFactory,
  }
}

export const checkOneTool = async (make: () => Tool | Promise<Tool>, source: string, args?: unknown): Promise<Card> =>
  toCard({ kind: 'tool', name: (await make()).id, source }, (onRule) =>
    checkTool(make, { onRule, ...(args === undefined ? {} : { args }) }),
  )

export const checkOneProvider = (
  name: string,
  make: () => ModelProvider | Promise<ModelProvider>,
  source: string,
  options: ProviderCheckOptions = {},
): Promise<Card> => toCard({ kind: 'provider', name, source }, (onRule) => checkProvider(make, { ...options, onRule }))

const says = (text: string) => ({ messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }] })

/** A provider that a config describes is asked over a server of ours, or with `--online` over its own. */
function checkDescribedProvider(
  { id, config, file }: Extract<Replacement, { kind: 'provider' }>,
  { online, env }: CheckOptions,
): Promise<Card> {
  const fetch = online || config.create !== undefined ? undefined : wireAnswers(config.type)
  const make = (): ModelProvider => createProvider(id, config, { env, ...(fetch && { fetch, apiKey: 'check' }) })
  if (fetch === undefined) return checkOneProvider(id, make, file)
  return checkOneProvider(id, make, file, { failing: [says(FAILING)], slow: says(SLOW) })
}

async function checkOneStore(scheme: string, create: StoreFactory, source: string): Promise<Card> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-check-'))
  let count = 0
  try {
    return await toCard({ kind: 'store', name: scheme, source }, (onRule) =>
      checkStore({
        onRule,
        async open(clock) {
          const url = `${scheme}:${join(folder, `store-${++count}`)}`
          const [store, other] = [create({ url, clock }), create({ url, clock })]
          for (const handle of [store, other]) await handle.open()
          const close = async (): Promise<void> => {
            for (const handle of [store, other]) await handle.close()
          }
          return { store, other, close }
        },
      }),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
