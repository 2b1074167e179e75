import { seeded } from '../../statistics/index.ts'
import type { ExperimentReport } from '../experiment-report.ts'
import { toPercent } from '../format-figures.ts'
import { dot, label, line, scale, toSvg } from './svg.ts'

const SIZE = 272
const LEFT = 40
const BOTTOM = SIZE - 38

/** Each task by its score with the base and with the arm: above the line it gained. */
export function plotScatter({ arm, points }: ExperimentReport['scatter'][number], index: number): string {
  const random = seeded(1)
  const x = scale([0, 1], [LEFT + 10, SIZE - 18])
  const y = scale([0, 1], [BOTTOM - 10, 38])
  // Scores are few values: without a small shift, hundreds of tasks are one dot.
  const shift = (): number => (random() + random() - 1) * 9
  const [better, worse] = [1, -1].map((sign) => points.filter(([base, own]) => sign * (own - base) > 0).length)
  return toSvg({
    id: `scatter${index}`,
    title: `Tasks: ${arm} against the base`,
    description: `Of ${points.length}: ${better} scored more with ${arm}, ${worse} less, the others the same.`,
    width: SIZE,
    height: SIZE,
    isSmall: true,
    shapes: [
      label(8, 16, arm, { longest: 40 }),
      label(8, 30, `${better} more, ${worse} less, of ${points.length}`, { kind: 'quiet' }),
      line(x(0), y(0), x(1), y(1), 'zero'),
      ...[0, 0.5, 1].flatMap((tick) => [
        line(x(0) - 10, y(tick), x(1) + 10, y(tick), 'grid'),
        label(LEFT - 4, y(tick) + 4, toPercent(tick).replace('.0', ''), { anchor: 'end', kind: 'quiet' }),
        label(x(tick), BOTTOM + 12, toPercent(tick).replace('.0', ''), { anchor: 'middle', kind: 'quiet' }),
      ]),
      ...points.map(([base, own]) =>
        dot(x(base) + shift(), y(own) + shift(), 2.5, `dot ${own > base ? 'good' : own < base ? 'bad' : 'none'}`),
      ),
      label((LEFT + SIZE) / 2, SIZE - 8, 'score with the base', { anchor: 'middle', kind: 'quiet' }),
    ],
  })
}
