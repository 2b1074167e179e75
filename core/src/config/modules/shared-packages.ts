/** Packages that config code shares with the process: one copy, so that classes and registries are the same ones. */
export const SHARED_PACKAGES: readonly string[] = ['@svc/core', '@svc/core/testing', '@svc/plugins', '@svc/sdk']

/** Whether a module of that name comes with the process, and not from the folder. */
export const isShared = (name: string): boolean =>
  SHARED_PACKAGES.some((shared) => name === shared || name.startsWith(`${shared}/`))
