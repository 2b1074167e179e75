import type { ExperimentReport } from '../experiment-report.ts'
import { toCount, toDollars, toPercent } from '../format-figures.ts'
import { dot, label, line, path, scale, ticks, toSvg } from './svg.ts'

const WIDTH = 360
const HEIGHT = 260
const LEFT = 48
const BOTTOM = HEIGHT - 40

/** Each arm by what it costs and what it is worth, numbered as in the table below; the line joins those nothing beats. */
export function plotFrontier({ arms, frontier }: ExperimentReport): string {
  const { by, front, dominated } = frontier
  const known = arms.filter(({ id }) => front.includes(id) || dominated.some((each) => each.id === id))
  const toCost = by === 'costUsd' ? toDollars : toCount
  const points = known.map((arm, index) => ({
    number: String(index + 1),
    id: arm.id,
    cost: arm[by] ?? 0,
    quality: arm.quality.value,
    interval: arm.quality.interval,
  }))
  const ends = points.flatMap(({ quality, interval }) => [quality, interval?.low ?? quality, interval?.high ?? quality])
  const low = Math.max(0, Math.min(1, ...ends) - 0.02)
  const high = Math.min(1, Math.max(0, ...ends) + 0.02)
  const most = Math.max(...points.map(({ cost }) => cost), 0) * 1.1 || 1
  const x = scale([0, most], [LEFT, WIDTH - 16])
  const y = scale([low, high], [BOTTOM, 12])
  const taken: { x: number; y: number }[] = []
  const place = (left: number, top: number): { x: number; y: number } => {
    let spot = { x: left, y: top }
    while (taken.some((other) => Math.abs(other.x - spot.x) < 14 && Math.abs(other.y - spot.y) < 12))
      spot = { x: spot.x, y: spot.y - 12 }
    taken.push(spot)
    return spot
  }
  return toSvg({
    id: 'frontier',
    title: by === 'costUsd' ? 'Cost of a run against quality' : 'Tokens of a run against quality',
    description: points
      .map(({ number, id, cost, quality }) => `${number}, ${id}: ${toCost(cost)}, ${toPercent(quality)}.`)
      .join(' '),
    width: WIDTH,
    height: HEIGHT,
    shapes: [
      ...ticks(low, high, 4).flatMap((tick) => [
        line(LEFT, y(tick), WIDTH - 16, y(tick), 'grid'),
        label(LEFT - 5, y(tick) + 4, toPercent(tick).replace('.0', ''), { anchor: 'end', kind: 'quiet' }),
      ]),
      ...ticks(0, most, 4).map((tick) =>
        label(x(tick), BOTTOM + 14, toCost(tick), { anchor: 'middle', kind: 'quiet' }),
      ),
      line(LEFT, BOTTOM, WIDTH - 16, BOTTOM, 'grid'),
      label((LEFT + WIDTH) / 2, HEIGHT - 8, by === 'costUsd' ? 'cost of a run' : 'tokens of a run', {
        anchor: 'middle',
        kind: 'quiet',
      }),
      path(
        front
          .flatMap((id) => points.filter((point) => point.id === id))
          .map((point) => [x(point.cost), y(point.quality)] as const),
        'front',
      ),
      ...points.flatMap((point) => {
        const kind = front.includes(point.id) ? 'mark' : 'none'
        const [left, top] = [x(point.cost), y(point.quality)]
        const { interval } = point
        const spot = place(left + 7, top - 5)
        return [
          ...(interval === null ? [] : [line(left, y(interval.low), left, y(interval.high), kind)]),
          dot(left, top, 4, kind),
          label(spot.x, spot.y, point.number),
        ]
      }),
    ],
  })
}
