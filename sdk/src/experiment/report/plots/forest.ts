import type { Comparison, ExperimentReport } from '../experiment-report.ts'
import { toPoints, toRange, toSize } from '../format-figures.ts'
import { box, dot, label, line, scale, ticks, toSvg } from './svg.ts'

const WIDTH = 360
const ROW = 38

/** A line for each arm: its difference from the base with its interval, over the band of no matter. */
export function plotForest({ comparisons, noise, margin }: ExperimentReport): string {
  const rows = (noise === null ? comparisons : [noise, ...comparisons]).filter(({ tasks }) => tasks > 0)
  const ends = rows.flatMap(({ quality: { value, interval } }) => [
    value,
    interval?.low ?? value,
    interval?.high ?? value,
  ])
  const low = Math.min(-1.5 * margin, ...ends)
  const high = Math.max(1.5 * margin, ...ends)
  const x = scale([low, high], [22, WIDTH - 22])
  const bottom = 12 + rows.length * ROW
  return toSvg({
    id: 'forest',
    title: 'Differences of quality from the base',
    description: rows.map(describe).join(' ') || 'No arm has a run.',
    width: WIDTH,
    height: bottom + 36,
    shapes: [
      box(x(-margin), 4, x(margin) - x(-margin), bottom - 4, 'band'),
      ...ticks(low, high).flatMap((tick) => [
        line(x(tick), 4, x(tick), bottom, 'grid'),
        label(x(tick), bottom + 13, toSize(tick) === '0' ? '0' : toPoints(tick).replace(/\.0$/, ''), {
          anchor: 'middle',
          kind: 'quiet',
        }),
      ]),
      line(x(0), 4, x(0), bottom, 'zero'),
      ...rows.flatMap((row, index) => drawRow(row, 12 + index * ROW, x)),
      label(WIDTH / 2, bottom + 29, `points; the band is ±${toSize(margin)}`, { anchor: 'middle', kind: 'quiet' }),
    ],
  })
}

const describe = ({ arm, quality }: Comparison): string =>
  `${arm}: ${toPoints(quality.value)} points, 95 % interval ${toRange(quality.interval)}.`

function drawRow(
  { arm, quality, holmP, equivalence }: Comparison,
  top: number,
  x: (value: number) => number,
): string[] {
  const { value, interval } = quality
  const middle = top + 24
  const isDifferent = interval !== null && (interval.low > 0 || interval.high < 0) && (holmP ?? 1) <= 0.05
  const kind = isDifferent ? (value > 0 ? 'good' : 'bad') : equivalence === 'shown' ? 'mark' : 'none'
  return [
    label(8, top + 10, arm, { longest: 34 }),
    label(WIDTH - 8, top + 10, `${toPoints(value)} (${toRange(interval)})`, { anchor: 'end', kind: 'quiet' }),
    ...(interval === null
      ? []
      : [
          line(x(interval.low), middle, x(interval.high), middle, kind),
          ...[interval.low, interval.high].map((end) => line(x(end), middle - 4, x(end), middle + 4, kind)),
        ]),
    dot(x(value), middle, 4, kind),
  ]
}
