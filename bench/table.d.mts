export function toTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right?: readonly number[],
): string[]
