/** Calls a handler of the caller's: one that throws breaks nothing. */
export function quietly(handler: () => void): void {
  try {
    handler()
  } catch {
    // It is the caller's own.
  }
}
