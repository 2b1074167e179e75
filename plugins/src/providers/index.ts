/** Providers over the network: their wire formats, the presets, and how one is found and made. */

export { ADAPTERS } from './adapters.ts'
export { type CassetteMode, type CassetteReport, openCassette, RunCassette } from './cassette.ts'
export { checkVendorPackages } from './check-vendor-packages.ts'
export { type Adapters, createProvider, resolveKey, unknownProvider } from './create-provider.ts'
export { ANTHROPIC_DEFAULT_MODEL, OPENAI_DEFAULT_MODEL } from './default-models.ts'
export { CUSTOM_ID, type DetectedProvider, describeUnusedKey, detectProvider } from './detect.ts'
export { describeLocalServer, findLocalServers, type LocalServer } from './local-servers.ts'
export { MODEL_FACTS_DATE } from './model-facts.ts'
export { KEY_VARIABLES, keyVariablesOf, PRESETS } from './presets.ts'
