import type { PolicyRule } from '../policy-rule.ts'

/** The config of a person, which an answer that holds always writes its rule to. */
export interface RulesFile {
  /** Absolute path; undefined where rules cannot be written to it, as to one that is code. */
  readonly path: string | undefined
  /**
   * Adds a rule that allows, and keeps all else; a rule that stands there already stays as it is.
   *
   * @throws ConfigError `config_invalid` where it cannot be written; nothing has changed then
   */
  add(rule: PolicyRule): Promise<void>
}
