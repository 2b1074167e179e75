/** Runs `attack()` of a module with some of the program's text replaced, and returns what it returned. */
export function attackWithout(
  file: string,
  changes: readonly { file: string; find: string; replace: string }[],
): Promise<unknown>
