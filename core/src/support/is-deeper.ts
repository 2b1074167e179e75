/** Whether objects and lists lie in each other more than `most` levels deep. What goes down such a value by recursion runs out of stack. */
export function isDeeper(value: unknown, most: number): boolean {
  let level = [value].filter(isNested)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true
    level = level.flatMap((one) => Object.values(one).filter(isNested))
  }
  return false
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null
