import { escapeHtml } from './escape-html.ts'
import type { Comparison, ExperimentReport } from './experiment-report.ts'
import { toPoints, toRange, toSize } from './format-figures.ts'

/** Units are those of a narrow screen's pixels. */
const WIDTH = 360
const MARGIN = 22
const ROW = 38
const LONGEST_NAME = 34

/** An SVG with a line for each arm: its difference from the base with its interval, over the band of no matter. */
export function plotForest({ comparisons, noise, margin }: ExperimentReport): string {
  const rows = (noise === null ? comparisons : [noise, ...comparisons]).filter(({ tasks }) => tasks > 0)
  const ends = rows.flatMap(({ quality: { value, interval } }) => [
    value,
    interval?.low ?? value,
    interval?.high ?? value,
  ])
  const low = Math.min(-1.5 * margin, ...ends)
  const high = Math.max(1.5 * margin, ...ends)
  const x = (value: number): number => MARGIN + ((value - low) / (high - low)) * (WIDTH - 2 * MARGIN)
  const bottom = 12 + rows.length * ROW
  const shapes = [
    `<rect x="${at(x(-margin))}" y="4" width="${at(x(margin) - x(-margin))}" height="${bottom - 4}" class="band"/>`,
    ...[low, 0, high].flatMap((tick) => [
      line(x(tick), 4, x(tick), bottom, tick === 0 ? 'zero' : 'grid'),
      label(x(tick), bottom + 13, tick === 0 ? '0' : toPoints(tick), 'middle', 'quiet'),
    ]),
    ...rows.flatMap((row, index) => drawRow(row, 12 + index * ROW, x)),
    label(WIDTH / 2, bottom + 29, `points; the band is ±${toSize(margin)}`, 'middle', 'quiet'),
  ]
  return `<svg viewBox="0 0 ${WIDTH} ${bottom + 36}" role="img" aria-labelledby="forest-title forest-text"><title id="forest-title">Differences of quality from the base</title><desc id="forest-text">${escapeHtml(rows.map(describe).join(' '))}</desc>
${shapes.join('\n')}
</svg>`
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
    label(8, top + 10, arm.length > LONGEST_NAME ? `${arm.slice(0, LONGEST_NAME - 1)}…` : arm, 'start', ''),
    label(WIDTH - 8, top + 10, `${toPoints(value)} (${toRange(interval)})`, 'end', 'quiet'),
    ...(interval === null ? [] : [line(x(interval.low), middle, x(interval.high), middle, kind)]),
    `<circle cx="${at(x(value))}" cy="${middle}" r="4" class="${kind}"/>`,
  ]
}

const label = (x: number, y: number, text: string, anchor: 'start' | 'middle' | 'end', kind: string): string =>
  `<text x="${at(x)}" y="${y}" text-anchor="${anchor}" class="${kind}">${escapeHtml(text)}</text>`

const line = (x1: number, y1: number, x2: number, y2: number, kind: string): string =>
  `<line x1="${at(x1)}" y1="${y1}" x2="${at(x2)}" y2="${y2}" class="${kind}"/>`

const at = (value: number): string => String(Math.round(value * 10) / 10)
