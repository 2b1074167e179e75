/** Bundles test files and what they start as processes; `problem` is what the bundler threw, where it left imports out. */
export function buildTests(files: readonly string[]): Promise<{ folder: string; problem: unknown }>

export function removeBuild(): void
