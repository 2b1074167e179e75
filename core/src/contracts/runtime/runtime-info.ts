import type { SvcConfig } from '../config.ts'
import type { ErrorInfo } from '../error-info.ts'
import type { ModelInfo } from '../model/model.ts'
import type { HookName } from '../plugin/hook-name.ts'
import type { PolicyRule } from '../policy-rule.ts'
import type { ToolRisk } from '../words.ts'

/** One tap of one hook, for the table of `svc plugins`. */
export interface TapInfo {
  hook: HookName
  plugin: string
  name: string
  stage: number
  mandatory: boolean
  source: string
  /** How often it was asked since the process began, also where it failed. */
  calls: number
  /** What these calls took together. */
  totalMs: number
}

/** How a provider did in this process, by the model calls that have ended; a call and its retries are one. */
export interface ProviderHealth {
  /** `failing`: the last call failed. `resting`: it cannot be reached, and nothing is sent for a moment. */
  state: 'unused' | 'ok' | 'failing' | 'resting'
  calls: number
  failures: number
  lastUsedAt?: string
  /** Of the newest call that failed. */
  lastError?: ErrorInfo
}

/** How a tool was used in this process. */
export interface ToolUse {
  /** That were made and have ended. */
  calls: number
  /** Of these. */
  failures: number
  /** Calls that were refused; most of them were not made. */
  denied: number
  /** Of the newest call that failed or was refused. */
  lastError?: ErrorInfo
}

/** What the policy holds against every tool call. A run's own options can only take tools away. */
export interface PolicyInForce {
  /** What a call is that no rule is about: the strictest of all sources. Absent: by risk, as `builtIn` says. */
  default?: 'allow' | 'ask' | 'deny'
  defaultSource?: string
  /** In the order in which they are asked; of those that are about a call, the strictest wins. */
  rules: { rule: PolicyRule; source: string }[]
  /** What holds beside the rules, a sentence each. */
  builtIn: string[]
  /** What programs run in, where the config says. Default the best there is. */
  sandbox?: NonNullable<NonNullable<SvcConfig['policy']>['sandbox']>
  /** Absolute path of the folder that tools are confined to. */
  root: string
}

/** What the runtime is made of. */
export interface RuntimeInfo {
  version: string
  /** `provider/model`, or `none: ` and why. */
  defaultModel: string
  /** Why there is no default model. */
  defaultModelError?: ErrorInfo
  providers: {
    id: string
    models: ModelInfo[]
    source: string
    defaultModel?: string
    error?: string
    health?: ProviderHealth
  }[]
  tools: { id: string; description: string; risk: ToolRisk; source: string; use?: ToolUse }[]
  plugins: { name: string; stages: HookName[]; mandatory: boolean; source: string }[]
  /** In the order in which they are asked. */
  taps: TapInfo[]
  config: { value: SvcConfig; origin: Record<string, string> }
  policy: PolicyInForce
}
