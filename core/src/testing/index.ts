/** For tests of svc and of what is built for it; nothing of it is loaded by a running svc. */
export * from './check-plugin.ts'
export * from './check-provider.ts'
export * from './check-store.ts'
export * from './check-tool.ts'
export type { RuleResult } from './conformance/rules.ts'
export * from './scripted-provider.ts'
export * from './sequential-plan.ts'
