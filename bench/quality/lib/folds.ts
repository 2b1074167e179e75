/** Cross-validation: what is learnt on some is tried on the others. */
import { seeded, shuffle } from './bootstrap.ts'

/**
 * Deals records into folds so that all records of one group are in one fold.
 *
 * @returns for each record its fold, 0 to `folds` - 1
 */
export function toFolds(groups: readonly string[], folds = 5, seed = 1): number[] {
  const names = [...new Set(groups)]
  shuffle(names, seeded(seed))
  const foldOf = new Map(names.map((name, index) => [name, index % folds]))
  return groups.map((group) => foldOf.get(group) ?? 0)
}
