/** For tests of svc and of what is built for it; nothing of it is loaded by a running svc. */
export * from './check-provider.ts'
export * from './check-store.ts'
export * from './scripted-provider.ts'
export * from './sequential-plan.ts'
