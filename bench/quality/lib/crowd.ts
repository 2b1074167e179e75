/** The baselines for people's votes: the majority, and Dawid and Skene's errors by label with next to no smoothing. */

interface Item {
  gold: number
  votes: [number, number][]
}

const ROUNDS = 100
const SMOOTHING = 0.01

/** @returns share of items whose label is right; where several labels lead, each counts its part */
export function labelCrowd(items: readonly Item[], labels: number, how: 'majority' | 'dawid-skene'): number {
  const shares = items.map(({ votes }) => {
    const counts: number[] = new Array(labels).fill(0)
    for (const [, label] of votes) counts[label] = (counts[label] ?? 0) + 1
    return counts.map((count) => count / votes.length)
  })
  return accuracyOf(how === 'majority' ? shares : dawidSkene(items, labels, shares), items)
}

function accuracyOf(chances: readonly number[][], items: readonly Item[]): number {
  let right = 0
  chances.forEach((row, index) => {
    const most = Math.max(...row) - 1e-12
    const leaders = row.filter((chance) => chance >= most).length
    if ((row[items[index]?.gold ?? 0] ?? 0) >= most) right += 1 / leaders
  })
  return right / items.length
}

function dawidSkene(items: readonly Item[], labels: number, start: number[][]): number[][] {
  let chances = start
  for (let round = 0; round < ROUNDS; round++) {
    const shares: number[] = new Array(labels).fill(SMOOTHING)
    const errors = new Map<number, number[][]>()
    items.forEach(({ votes }, index) => {
      const row = chances[index] ?? []
      row.forEach((chance, label) => {
        shares[label] = (shares[label] ?? 0) + chance
      })
      for (const [worker, given] of votes) {
        const table =
          errors.get(worker) ?? Array.from({ length: labels }, () => new Array<number>(labels).fill(SMOOTHING))
        errors.set(worker, table)
        row.forEach((chance, real) => {
          const line = table[real] ?? []
          line[given] = (line[given] ?? 0) + chance
        })
      }
    })
    for (const table of errors.values()) {
      for (const line of table) {
        const sum = line.reduce((all, count) => all + count, 0)
        line.forEach((count, at) => {
          line[at] = count / sum
        })
      }
    }
    chances = items.map(({ votes }) => {
      const logs = shares.map((share, real) =>
        votes.reduce(
          (sum, [worker, given]) => sum + Math.log(errors.get(worker)?.[real]?.[given] ?? 1),
          Math.log(share),
        ),
      )
      const most = Math.max(...logs)
      const odds = logs.map((log) => Math.exp(log - most))
      const all = odds.reduce((sum, one) => sum + one, 0)
      return odds.map((one) => one / all)
    })
  }
  return chances
}
