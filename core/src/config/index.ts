/** Configuration: where files are found, who may run code, how layers are merged. */

export { DEFAULT_SANDBOX_IMAGE } from '../contracts/config.ts'
export { toPointer } from '../text/json-pointer.ts'
export { defineConfig } from './define-config.ts'
export { DATA_FILE, getDataDir, getExperimentsDir, LOCAL_KEY_FILE, personalDataDir } from './find/data-dir.ts'
export { findProject } from './find/find-project.ts'
export {
  CODE_ENDINGS,
  defaultCacheDir,
  defaultUserDir,
  findConfigFile,
  MANAGED_FILE,
  PROJECT_MCP_FILE,
  SEARCH_PLACES,
  toWorkspace,
  USER_MCP_FILE,
} from './find/paths.ts'
export { createNoteReader } from './guidance/agents-md.ts'
export type { LoadedCommand } from './guidance/commands.ts'
export type { LoadedSkill } from './guidance/skills.ts'
export { configJsonSchema } from './json-schema.ts'
export { loadConfig } from './load-config.ts'
export type { ConfigProblem, LoadedConfig, LoadOptions, SkippedFile, TrustQuestion } from './loaded-config.ts'
export { type LoadedPlugin, type LoadedSlots, toPlugin } from './merge/resolve-plugins.ts'
export type { SkippedDefinition } from './merge/restrict.ts'
export type { LoadedModules } from './modules/load-module.ts'
export { createNamedCodeLoader, type NamedCodeLoader } from './modules/load-named-code.ts'
export { loadReplacement, type Replacement } from './modules/load-replacement.ts'
export { findChanged } from './modules/module-graph.ts'
export { isModulePath } from './modules/resolve-module.ts'
export { checkConfig, throwIfAny } from './read/check-config.ts'
export { invalid as configError } from './read/config-error.ts'
export { CONFIG_VARIABLES, type ConfigVariable, configVariables } from './read/config-variables.ts'
export { causeOf, cureOf, describeProblem } from './read/describe-problem.ts'
export { fileVariables } from './read/environment.ts'
export { findUnknown } from './read/find-unknown.ts'
export { readMcpContent } from './read/mcp-file.ts'
export { parseData } from './read/read-data.ts'
export { readRegularFile } from './read/read-regular-file.ts'
export { shown } from './read/shown.ts'
export { describeServer } from './trust/describe-runs.ts'
export { filesOf, programsOf } from './trust/named-programs.ts'
export { changeOwnFile, readOwnRecord, replaceOwnFile, writeOwnRecord } from './trust/own-record.ts'
export { listRuns } from './trust/project-part.ts'
export { findSkippedDefinition, isSkippedDefinition, skippedDefinitionError } from './trust/skipped.ts'
export {
  checkTrust,
  isTrustedNote,
  listTrustFiles,
  recordTrust,
  recordWritten,
  removeTrust,
  TRUST_FILE,
  type TrustState,
} from './trust/trust.ts'
