import type { Plugin, ProviderConfig, Runtime, SvcConfig } from '@svc/core'
import { loadConfig } from '@svc/core/config'
import { CUSTOM_ID, createRuntime, PRESETS } from '@svc/plugins'
import type { ServiceClientOptions } from './client-options.ts'

/** This package by name, imported only when code in a config needs it: its entry imports this file. */
const SELF: string = '@svc/sdk'

/** Reads the config files, overrides them with the client's options, and creates a runtime. */
export async function startEmbedded(options: ServiceClientOptions): Promise<Runtime> {
  const { config, cwd, trust, fetch, env = process.env } = options
  const plugins = pluginsOf(options)
  const loaded = await loadConfig({
    env,
    flags: toFlags(options),
    // Code in configs gets the copies that this program has.
    packages: { '@svc/plugins': () => import('@svc/plugins'), '@svc/sdk': () => import(SELF) },
    files: config === undefined || typeof config === 'string',
    ...(typeof config === 'string' ? { configFile: config } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    ...(trust === undefined ? {} : { trust }),
  })
  return createRuntime(loaded, {
    env,
    apiKeys: toKeys(options),
    ...(plugins.length > 0 && { plugins }),
    ...(fetch === undefined ? {} : { fetch }),
  })
}

/** The caller's plugins, and one that brings its tools. */
function pluginsOf({ plugins = [], tools = [] }: ServiceClientOptions): readonly Plugin[] {
  if (tools.length === 0) return plugins
  const own: Plugin = {
    name: 'client-tools',
    source: 'createClient',
    apply(host) {
      for (const tool of tools) host.tools.add(tool.id, tool)
    },
  }
  return [...plugins, own]
}

/** The options as the strongest layer of the config. */
function toFlags(options: ServiceClientOptions): SvcConfig {
  const { config, model, tokenBudget, defaultTopology, persistSessions, components, baseUrl } = options
  const given = typeof config === 'object' ? config : {}
  const provider = providerOf(options)
  return {
    ...given,
    ...(provider === undefined ? {} : { provider }),
    ...(provider === undefined || baseUrl === undefined
      ? {}
      : { providers: { ...given.providers, [provider]: describe(options, provider, baseUrl) } }),
    ...(model === undefined ? {} : { model: qualified(model, provider) }),
    ...(tokenBudget === undefined ? {} : { tokenBudget }),
    ...(defaultTopology === undefined ? {} : { defaultTopology }),
    ...(persistSessions === undefined ? {} : { persistSessions }),
    ...(components === undefined ? {} : { components: { ...given.components, ...components } }),
  }
}

const providerOf = ({ provider, baseUrl }: ServiceClientOptions): string | undefined =>
  provider ?? (baseUrl === undefined ? undefined : CUSTOM_ID)

/** A provider at the caller's own address: it gets the key that was given with it, and no other. */
function describe({ model }: ServiceClientOptions, provider: string, baseUrl: string): ProviderConfig {
  const type = PRESETS[provider]?.type ?? 'openai'
  const name = model?.startsWith(`${provider}/`) === true ? model.slice(provider.length + 1) : model
  return { type, baseUrl, ...(name === undefined ? { discover: true } : { defaultModel: name }) }
}

const qualified = (model: string, provider: string | undefined): string =>
  provider === undefined || model.startsWith(`${provider}/`) ? model : `${provider}/${model}`

function toKeys(options: ServiceClientOptions): Record<string, string> {
  const provider = providerOf(options)
  return options.apiKey === undefined || provider === undefined ? {} : { [provider]: options.apiKey }
}
