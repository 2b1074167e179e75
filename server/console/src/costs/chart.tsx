import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { useMedia } from '../parts/use-media.ts'
import { theme } from '../theme.ts'
import type { Series } from './series.ts'
import 'uplot/dist/uPlot.min.css'

const HEIGHT = 260
const MARGIN = 24

interface ChartProps {
  series: readonly Series[]
  /** Names of the periods. */
  labels: readonly string[]
  /** @param step between the values that stand at the axis */
  format: (value: number, step: number) => string
  /** Resolved colours of the series, asked for when they are drawn. */
  colorOf: (index: number) => string
  onPeriod: (index: number | undefined) => void
}

/** Bars of periods, the series on top of each other. The table says the same. */
export default function Chart({ series, labels, format, colorOf, onPeriod }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const isDark = useMedia('(prefers-color-scheme: dark)')
  const drawn = JSON.stringify([series, labels, theme.value, isDark])
  useEffect(() => {
    const { current } = box
    if (current === null) return
    const plot = draw(current, { series, labels, format, colorOf, onPeriod })
    const observer = new ResizeObserver(() => plot.setSize({ width: current.clientWidth, height: HEIGHT }))
    observer.observe(current)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [drawn])
  return <div ref={box} class="chart" aria-hidden="true" />
}

function draw(target: HTMLElement, { series, labels, format, colorOf, onPeriod }: ChartProps): uPlot {
  const style = getComputedStyle(target)
  const probe = (name: string): string => {
    const element = target.appendChild(document.createElement('i'))
    element.className = name
    const { color } = getComputedStyle(element)
    element.remove()
    return color
  }
  const [line, soft] = [probe('line-color'), probe('soft')]
  const font = `12px ${style.fontFamily}`
  // Each bar reaches from the axis to the top of its part: the highest is drawn first, and the others over it.
  const sums = labels.map(() => 0)
  const stacked = series.map(({ values }) =>
    values.map((value, index) => {
      const sum = (sums[index] ?? 0) + value
      sums[index] = sum
      return sum
    }),
  )
  const bars = uPlot.paths.bars?.({ size: [0.7, 48] })
  const axis = { stroke: soft, font, grid: { stroke: line, width: 1 }, ticks: { show: false } }
  return new uPlot(
    {
      width: target.clientWidth,
      height: HEIGHT,
      padding: [MARGIN / 2, MARGIN, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: {
        x: { time: false, range: [-0.6, labels.length - 0.4] },
        y: { range: (_, __, max) => [0, max > 0 ? max * 1.05 : 1] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 30,
          incrs: [1, 2, 5, 7, 10, 14, 30, 60],
          space: 64,
          values: (_, splits) => splits.map((split) => (Number.isInteger(split) ? (labels[split] ?? '') : '')),
        },
        { ...axis, size: 68, values: (_, splits, __, ___, step) => splits.map((split) => format(split, step)) },
      ],
      series: [
        {},
        ...series
          .map(({ name }, index) => ({
            label: name,
            fill: colorOf(index),
            width: 0,
            points: { show: false },
            ...(bars && { paths: bars }),
          }))
          .reverse(),
      ],
      hooks: { setCursor: [({ cursor }) => onPeriod(cursor.idx ?? undefined)] },
    },
    [labels.map((_, index) => index), ...stacked.reverse()],
    target,
  )
}
