/** Providers over the network: their wire formats, the presets, and how one is found and made. */

export { ADAPTERS } from './adapters.ts'
export { createAiSdkProvider } from './aisdk/aisdk.ts'
export type { AiSdkEmbedding, AiSdkModel, AiSdkModels, AiSdkResult } from './aisdk/aisdk-model.ts'
export { type Adapters, createProvider, resolveKey, unknownProvider } from './create-provider.ts'
export { ANTHROPIC_DEFAULT_MODEL, OPENAI_DEFAULT_MODEL } from './discovery/default-models.ts'
export { CUSTOM_ID, type DetectedProvider, describeUnusedKey, detectProvider } from './discovery/detect.ts'
export { describeLocalServer, findLocalServers, type LocalServer } from './discovery/local-servers.ts'
export { MODEL_FACTS_DATE } from './discovery/model-facts.ts'
export { KEY_VARIABLES, keyVariablesOf, PRESETS } from './discovery/presets.ts'
