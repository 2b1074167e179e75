/** Votes by number: `items[i]` was answered with `labels[i]` by `voters[i]`. */
export interface NumberedVotes {
  readonly items: Int32Array
  readonly voters: Int32Array
  readonly labels: Int32Array
  readonly itemCount: number
  readonly voterCount: number
  readonly labelCount: number
}

/** What a model makes of the votes. */
export interface Fit {
  /** Chance of each label of each item, item by item. */
  readonly chances: Float64Array
  /** Whether each vote agrees with what the others say of its item: 1, 0, or a part where several labels lead. */
  readonly agrees: Float64Array
  /** Chance that each voter gives label `given` where `real` is right, at `(voter * labels + real) * labels + given`. */
  readonly confusion: Float64Array
}

const ROUNDS = 100
const SETTLED = 1e-5
/** What is counted for each voter before any vote: right answers, and wrong ones. */
const RIGHT = 1
const WRONG = 0.5

/** Each item's votes in equal parts. */
export function fitMajority(votes: NumberedVotes): Fit {
  const { items, labels, itemCount, labelCount } = votes
  const counts = new Float64Array(itemCount * labelCount)
  for (let at = 0; at < items.length; at++) add(counts, (items[at] ?? 0) * labelCount + (labels[at] ?? 0), 1)
  const agrees = new Float64Array(items.length)
  for (let at = 0; at < items.length; at++) {
    const start = (items[at] ?? 0) * labelCount
    const others = counts.slice(start, start + labelCount)
    add(others, labels[at] ?? 0, -1)
    const most = Math.max(...others)
    const leaders = others.filter((count) => count === most).length
    agrees[at] = others[labels[at] ?? 0] === most ? 1 / leaders : 0
  }
  const chances = counts.slice()
  normalise(chances, labelCount)
  return { chances, agrees, confusion: learn(votes, chances, true) }
}

/**
 * Expectation maximisation over the voters' errors (Dawid and Skene, 1979), begun at the majority.
 *
 * @param symmetric one accuracy a voter, whatever is right: the one-coin model; how common labels are is then taken from
 *   the majority, because one coin cannot tell a rare label from bad voters
 */
export function fitErrors(votes: NumberedVotes, symmetric: boolean): Fit {
  const { items, voters, labels, labelCount } = votes
  let chances = fitMajority(votes).chances
  const fixed = symmetric ? sharesOfLeaders(chances, labelCount) : undefined
  let confusion = learn(votes, chances, symmetric)
  let shares = fixed ?? sharesOf(chances, labelCount)
  for (let round = 0; round < ROUNDS; round++) {
    const next = judge(votes, confusion, shares)
    let moved = 0
    for (let at = 0; at < next.length; at++) moved = Math.max(moved, Math.abs((next[at] ?? 0) - (chances[at] ?? 0)))
    chances = next
    if (moved < SETTLED) break
    confusion = learn(votes, chances, symmetric)
    shares = fixed ?? sharesOf(chances, labelCount)
  }
  const agrees = new Float64Array(items.length)
  for (let at = 0; at < items.length; at++) {
    const start = (items[at] ?? 0) * labelCount
    const own = labels[at] ?? 0
    let best = -1
    let most = Number.NEGATIVE_INFINITY
    for (let real = 0; real < labelCount; real++) {
      const given = confusion[((voters[at] ?? 0) * labelCount + real) * labelCount + own] ?? 1
      const without = Math.log(chances[start + real] || 1e-300) - Math.log(given)
      if (without > most) {
        most = without
        best = real
      }
    }
    agrees[at] = best === own ? 1 : 0
  }
  return { chances, agrees, confusion }
}

function judge(votes: NumberedVotes, confusion: Float64Array, shares: Float64Array): Float64Array {
  const { items, voters, labels, itemCount, labelCount } = votes
  const logs = new Float64Array(itemCount * labelCount)
  for (let at = 0; at < logs.length; at++) logs[at] = Math.log(Math.max(1e-9, shares[at % labelCount] ?? 0))
  for (let at = 0; at < items.length; at++) {
    const start = (items[at] ?? 0) * labelCount
    for (let real = 0; real < labelCount; real++) {
      const given = confusion[((voters[at] ?? 0) * labelCount + real) * labelCount + (labels[at] ?? 0)] ?? 1
      add(logs, start + real, Math.log(given))
    }
  }
  for (let start = 0; start < logs.length; start += labelCount) {
    let most = Number.NEGATIVE_INFINITY
    for (let label = 0; label < labelCount; label++) most = Math.max(most, logs[start + label] ?? 0)
    for (let label = 0; label < labelCount; label++) logs[start + label] = Math.exp((logs[start + label] ?? 0) - most)
  }
  normalise(logs, labelCount)
  return logs
}

function learn(votes: NumberedVotes, chances: Float64Array, symmetric: boolean): Float64Array {
  const { items, voters, labels, voterCount, labelCount } = votes
  const table = new Float64Array(voterCount * labelCount * labelCount)
  for (let at = 0; at < items.length; at++) {
    for (let real = 0; real < labelCount; real++) {
      const cell = ((voters[at] ?? 0) * labelCount + real) * labelCount + (labels[at] ?? 0)
      add(table, cell, chances[(items[at] ?? 0) * labelCount + real] ?? 0)
    }
  }
  const wrong = WRONG / Math.max(1, labelCount - 1)
  for (let voter = 0; voter < voterCount; voter++) {
    const start = voter * labelCount * labelCount
    if (symmetric) share(table.subarray(start, start + labelCount * labelCount), labelCount)
    else {
      for (let cell = 0; cell < labelCount * labelCount; cell++) {
        add(table, start + cell, cell % (labelCount + 1) === 0 ? RIGHT : wrong)
      }
    }
  }
  if (!symmetric) normalise(table, labelCount)
  return table
}

/** One accuracy in place of a voter's whole table. */
function share(table: Float64Array, labelCount: number): void {
  let right = RIGHT
  let total = RIGHT + WRONG
  for (let cell = 0; cell < table.length; cell++) {
    total += table[cell] ?? 0
    if (cell % (labelCount + 1) === 0) right += table[cell] ?? 0
  }
  const accuracy = right / total
  for (let cell = 0; cell < table.length; cell++) {
    table[cell] = cell % (labelCount + 1) === 0 ? accuracy : (1 - accuracy) / Math.max(1, labelCount - 1)
  }
}

/** How common each label is among all chances. */
function sharesOf(chances: Float64Array, labelCount: number): Float64Array {
  const shares = new Float64Array(labelCount)
  for (let at = 0; at < chances.length; at++) add(shares, at % labelCount, chances[at] ?? 0)
  normalise(shares, labelCount)
  return shares
}

/** How common each label is among the most likely ones; those that lead together share. */
function sharesOfLeaders(chances: Float64Array, labelCount: number): Float64Array {
  const shares = new Float64Array(labelCount)
  for (let start = 0; start < chances.length; start += labelCount) {
    const row = chances.subarray(start, start + labelCount)
    const most = Math.max(...row)
    const leaders = [...row.keys()].filter((label) => (row[label] ?? 0) > most - 1e-9)
    for (const label of leaders) add(shares, label, 1 / leaders.length)
  }
  normalise(shares, labelCount)
  return shares
}

function normalise(values: Float64Array, width: number): void {
  for (let start = 0; start < values.length; start += width) {
    let sum = 0
    for (let at = start; at < start + width; at++) sum += values[at] ?? 0
    for (let at = start; at < start + width; at++) values[at] = sum === 0 ? 1 / width : (values[at] ?? 0) / sum
  }
}

function add(values: Float64Array, at: number, amount: number): void {
  values[at] = (values[at] ?? 0) + amount
}
