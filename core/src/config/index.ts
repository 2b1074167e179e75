/** Configuration: where files are found, who may run code, how layers are merged. */

export { getDataDir, personalDataDir } from './data-dir.ts'
export { defineConfig } from './define-config.ts'
export { CONFIG_VARIABLES } from './environment.ts'
export { findProject } from './find-project.ts'
export { configJsonSchema } from './json-schema.ts'
export { loadConfig } from './load-config.ts'
export type { LoadedConfig, LoadOptions, SkippedFile, TrustQuestion } from './loaded-config.ts'
export { defaultCacheDir, defaultUserDir, MANAGED_FILE, SEARCH_PLACES, toWorkspace } from './paths.ts'
export type { LoadedPlugin, LoadedSlots } from './resolve-plugins.ts'
export type { SkippedDefinition } from './restrict.ts'
export { findSkippedDefinition, isSkippedDefinition, skippedDefinitionError } from './skipped.ts'
export { checkTrust, listTrustFiles, recordTrust, removeTrust, type TrustState } from './trust.ts'
