/** What a config that nobody trusts changes of what a person has set, as numbers and decisions. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../src/config/load-config.ts'
import type { LoadedConfig } from '../../src/config/loaded-config.ts'
import type { SvcConfig } from '../../src/contracts/config.ts'
import { Policy, type PolicyQuestion, type Verdict } from '../../src/runtime/calls/policy/policy.ts'
import { hardLimit } from '../../src/runtime/runs/service/run-limits.ts'
import { makeMachine } from '../fixtures/config-folders.ts'

export interface Layers {
  user?: SvcConfig
  explicit?: SvcConfig
  env?: Record<string, string>
  flags?: SvcConfig
  managed?: SvcConfig
}

/** The configs that hold without the folder's file and with it. */
export async function loadBoth(folder: SvcConfig, { user = {}, explicit, env = {}, flags, managed }: Layers) {
  const load = async (files: Record<string, object>): Promise<LoadedConfig> => {
    const { options, work } = makeMachine(files, { 'svc.config.json': user })
    const named = join(work, '..', 'explicit.json')
    if (explicit !== undefined) writeFileSync(named, JSON.stringify(explicit))
    if (managed !== undefined) writeFileSync(join(work, '..', 'managed.json'), JSON.stringify(managed))
    return loadConfig({
      ...options,
      env: { ...options.env, ...env },
      ...(flags === undefined ? {} : { flags }),
      ...(explicit === undefined ? {} : { configFile: named }),
    })
  }
  return { without: await load({}), with: await load({ 'svc.config.json': folder }) }
}

/** What is decided about a call. */
export function decide({ config, managed, tightening }: LoadedConfig, question: Partial<PolicyQuestion>): Verdict {
  const policy = new Policy({
    managed: managed?.policy,
    folder: tightening?.policy,
    config: config.policy,
    options: {},
    workspace: '/w',
    readOnly: false,
  })
  return policy.decide({ tool: 'write_file', args: {}, risk: 'write', taint: [], mixed: false, ...question }).decision
}

/** The hard budget of a run, in tokens, that names this soft one. */
export function hardTokens({ config, managed, tightening }: LoadedConfig, tokenBudget?: number): number {
  const soft = tokenBudget ?? config.tokenBudget ?? 0
  return hardLimit({ config, managed, tightening }, { task: 'x' }, soft)
}
