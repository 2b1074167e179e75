/** Lines shown around a change. */
const CONTEXT = 3
/** Differences beyond which a stretch of lines counts as wholly replaced. */
const MOST_STEPS = 1_000

/** A stretch of lines that was taken out, and what stands there now; indexes from 0. */
interface Change {
  readonly before: readonly [start: number, end: number]
  readonly after: readonly [start: number, end: number]
}

/**
 * The difference of two texts as a unified diff; empty where they are equal. A line that ends in another way, or not at
 * all, counts as changed.
 *
 * @param before undefined: the file is new
 */
export function unifiedDiff(path: string, before: string | undefined, after: string): string {
  const old = toLines(before ?? '')
  const now = toLines(after)
  const hunks = toHunks(findChanges(old, now), old.length)
  if (hunks.length === 0) return ''
  const lines = [before === undefined ? '--- /dev/null' : `--- ${shown(path)}`, `+++ ${shown(path)}`]
  for (const hunk of hunks) lines.push(...showHunk(hunk, old, now))
  return lines.join('\n')
}

/** Lines with their endings. */
const toLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

const shown = (path: string): string => path.replace(/\p{Cc}/gu, '?')

function findChanges(old: readonly string[], now: readonly string[]): Change[] {
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  const rest = Math.min(old.length, now.length) - start
  while (end < rest && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  return shortest(old.slice(start, old.length - end), now.slice(start, now.length - end)).map(({ before, after }) => ({
    before: [before[0] + start, before[1] + start],
    after: [after[0] + start, after[1] + start],
  }))
}

/** The shortest way from one list to the other (Myers, An O(ND) difference algorithm, 1986). */
function shortest(old: readonly string[], now: readonly string[]): Change[] {
  const whole: Change[] = old.length + now.length === 0 ? [] : [{ before: [0, old.length], after: [0, now.length] }]
  if (old.length === 0 || now.length === 0) return whole
  const reached = new Map<number, number>([[1, 0]])
  const trace: Map<number, number>[] = []
  const most = Math.min(old.length + now.length, MOST_STEPS)
  for (let steps = 0; steps <= most; steps++) {
    trace.push(new Map(reached))
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      let x = isDown(reached, diagonal, steps) ? (reached.get(diagonal + 1) ?? 0) : (reached.get(diagonal - 1) ?? 0) + 1
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++
      reached.set(diagonal, x)
      if (x >= old.length && x - diagonal >= now.length) return followBack(trace, old.length, now.length)
    }
  }
  return whole
}

const isDown = (reached: ReadonlyMap<number, number>, diagonal: number, steps: number): boolean =>
  diagonal === -steps || (diagonal !== steps && (reached.get(diagonal - 1) ?? 0) < (reached.get(diagonal + 1) ?? 0))

function followBack(trace: readonly Map<number, number>[], oldLength: number, nowLength: number): Change[] {
  const changes: Change[] = []
  let [x, y] = [oldLength, nowLength]
  for (let steps = trace.length - 1; steps > 0; steps--) {
    const reached = trace[steps] ?? new Map<number, number>()
    const down = isDown(reached, x - y, steps)
    const fromX = reached.get(x - y + (down ? 1 : -1)) ?? 0
    const fromY = fromX - (x - y + (down ? 1 : -1))
    const [toX, toY] = down ? [fromX, fromY + 1] : [fromX + 1, fromY]
    const next = changes[0]
    if (next !== undefined && next.before[0] === toX && next.after[0] === toY) {
      changes[0] = { before: [fromX, next.before[1]], after: [fromY, next.after[1]] }
    } else changes.unshift({ before: [fromX, toX], after: [fromY, toY] })
    x = fromX
    y = fromY
  }
  return changes
}

/** Changes whose surroundings touch, together. */
function toHunks(changes: readonly Change[], oldLength: number): Change[][] {
  const hunks: Change[][] = []
  let end = Number.NEGATIVE_INFINITY
  for (const change of changes) {
    if (change.before[0] - CONTEXT <= end) hunks.at(-1)?.push(change)
    else hunks.push([change])
    end = Math.min(oldLength, change.before[1] + CONTEXT)
  }
  return hunks
}

function showHunk(hunk: readonly Change[], old: readonly string[], now: readonly string[]): string[] {
  const [first, last] = [hunk[0], hunk.at(-1)]
  if (first === undefined || last === undefined) return []
  const start = Math.max(0, first.before[0] - CONTEXT)
  const end = Math.min(old.length, last.before[1] + CONTEXT)
  const shift = first.after[0] - first.before[0]
  const lines: string[] = []
  let [at, taken, added] = [start, 0, 0]
  for (const { before, after } of hunk) {
    for (const line of old.slice(at, before[0])) lines.push(...showLine(' ', line))
    for (const line of old.slice(...before)) lines.push(...showLine('-', line))
    for (const line of now.slice(...after)) lines.push(...showLine('+', line))
    taken += before[1] - before[0]
    added += after[1] - after[0]
    at = before[1]
  }
  for (const line of old.slice(at, end)) lines.push(...showLine(' ', line))
  const size = end - start
  const range = (from: number, count: number): string => `${count === 0 ? from : from + 1},${count}`
  return [`@@ -${range(start, size)} +${range(start + shift, size - taken + added)} @@`, ...lines]
}

function showLine(sign: string, line: string): string[] {
  const text = line.replace(/\r?\n$/, '')
  return line.endsWith('\n') ? [`${sign}${text}`] : [`${sign}${text}`, '\\ No newline at end of file']
}
