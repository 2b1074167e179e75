/** The best rising curve through points: what a probability that was said has turned out to be worth. */

/** A curve with straight lines between its points, `said` rising, `was` never falling. */
export interface IsotonicCurve {
  said: number[]
  was: number[]
}

/** Pool adjacent violators (Ayer et al., 1955): neighbours that fall are put together until none does. */
export function fitIsotonic(said: readonly number[], was: readonly number[]): IsotonicCurve {
  const points = said.map((x, index) => ({ x, y: was[index] ?? 0 })).sort((a, b) => a.x - b.x)
  const pools: { count: number; x: number; y: number }[] = []
  for (const { x, y } of points) {
    pools.push({ count: 1, x, y })
    for (;;) {
      const last = pools.at(-1)
      const before = pools.at(-2)
      if (last === undefined || before === undefined || (before.y < last.y && before.x < last.x)) break
      pools.pop()
      pools.pop()
      const count = before.count + last.count
      pools.push({
        count,
        x: (before.x * before.count + last.x * last.count) / count,
        y: (before.y * before.count + last.y * last.count) / count,
      })
    }
  }
  return { said: pools.map(({ x }) => x), was: pools.map(({ y }) => y) }
}

/** What the curve says of a value; flat beyond its ends. Without points: the value itself. */
export function readIsotonic({ said, was }: IsotonicCurve, value: number): number {
  if (said.length === 0) return value
  const above = said.findIndex((x) => x >= value)
  if (above === 0) return was[0] ?? value
  if (above < 0) return was.at(-1) ?? value
  const [x0 = 0, x1 = 0] = [said[above - 1], said[above]]
  const [y0 = 0, y1 = 0] = [was[above - 1], was[above]]
  return x1 === x0 ? y1 : y0 + ((y1 - y0) * (value - x0)) / (x1 - x0)
}
