/** Packages that config code shares with the process: one copy, so that classes and registries are the same ones. */
export const SHARED_PACKAGES: readonly string[] = ['@svc/core', '@svc/core/testing', '@svc/plugins', '@svc/sdk']
