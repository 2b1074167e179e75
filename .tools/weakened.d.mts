/** Runs `attack()` of a module with some of the program's defences weakened, and returns what it returned. */
export function attackWithout(
  file: string,
  defences: readonly { file: string; name: string; weaken: string }[],
): Promise<unknown>
