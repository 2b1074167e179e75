import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { formatCount, formatShort } from '../../parts/format.ts'
import { ceilingOf, seriesOf } from '../../state/burn.ts'
import type { RunState } from '../../state/run-state.ts'
import { nameOf } from '../../state/talk.ts'
import { paint } from '../../theme.ts'
import type { ShownRun } from '../shown-run.ts'
import 'uplot/dist/uPlot.min.css'

const HEIGHT = 220
/** Colours of agents, one after the other. */
const COLOURS = ['--accent', '--tool', '--waiting', '--completed', '--incomplete', '--running']

/** Tokens over time: the run in a thick line, each agent in a thin one, the limits across. */
export function BurnChart({ shown: { state } }: { shown: ShownRun }) {
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const { value: painted } = paint
  const { burn, view, startedAt } = state
  const { names, data } = seriesOf(burn, startedAt)
  const shape = names.join()
  useEffect(() => {
    const { current } = frame
    if (current === null) return
    const chart = new uPlot(optionsOf(current, state, names), data, current)
    plot.current = chart
    const observer = new ResizeObserver(() => chart.setSize({ width: current.clientWidth, height: HEIGHT }))
    observer.observe(current)
    return () => {
      observer.disconnect()
      chart.destroy()
      plot.current = undefined
    }
  }, [state, shape, painted, burn.soft, burn.hard])
  useEffect(() => plot.current?.setData(data), [burn.total.length])
  const spent = burn.total.at(-1)
  return (
    <figure class="burn">
      <div ref={frame} aria-hidden="true" />
      <figcaption class="small soft">
        Tokens over time{names.length > 1 && ': thick the whole run, thin each agent'}.
        {spent !== undefined &&
          ` After ${((spent.at - startedAt) / 1_000).toFixed(1)} s ${formatCount(spent.tokens)} tokens were spent by ${names.length} ${names.length === 1 ? 'agent' : 'agents'}: ${names.map((id) => `${nameOf(view, id)} ${formatCount(burn.agents.get(id)?.points.at(-1)?.tokens ?? 0)}`).join(', ')}.`}
      </figcaption>
    </figure>
  )
}

function optionsOf(frame: HTMLElement, { burn, view }: RunState, names: readonly string[]): uPlot.Options {
  const text = colourOf(frame, '--text-soft')
  const line = colourOf(frame, '--line')
  const steps = uPlot.paths.stepped?.({ align: 1 })
  const axis = {
    stroke: text,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
    font: '12px system-ui',
  }
  const limits = [
    { tokens: burn.soft, name: 'soft limit', colour: colourOf(frame, '--incomplete') },
    { tokens: burn.hard, name: 'hard limit', colour: colourOf(frame, '--failed') },
  ]
  return {
    width: frame.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: (_, _least, most) => [0, Math.max(most, 0.1)] },
      y: { range: (_, _least, most) => [0, ceilingOf(most, [burn.soft, burn.hard])] },
    },
    axes: [
      { ...axis, values: (_, ticks) => ticks.map((seconds) => `${seconds} s`) },
      { ...axis, size: 56, values: (_, ticks) => ticks.map((tokens) => formatShort(tokens)) },
    ],
    series: [
      {},
      {
        label: 'run',
        stroke: colourOf(frame, '--text'),
        width: 2.5,
        points: { show: false },
        ...(steps && { paths: steps }),
      },
      ...names.map((id, index) => ({
        label: nameOf(view, id),
        stroke: colourOf(frame, COLOURS[index % COLOURS.length] ?? '--accent'),
        width: 1.25,
        dash: index < COLOURS.length ? [] : [6, 3],
        points: { show: false },
        ...(steps && { paths: steps }),
      })),
    ],
    hooks: {
      draw: [
        (chart) => {
          const top = chart.scales.y?.max ?? 0
          let above = 0
          for (const { tokens, name, colour } of limits) {
            if (tokens === undefined) continue
            if (tokens <= top) drawLimit(chart, tokens, name, colour)
            else
              drawLabel(
                chart,
                `↑ ${name}, ${formatShort(tokens)} tokens`,
                colour,
                chart.bbox.top + 16 * ++above * devicePixelRatio,
              )
          }
        },
      ],
    },
  }
}

function drawLimit(chart: uPlot, tokens: number, name: string, colour: string): void {
  const { ctx, bbox, valToPos } = chart
  const y = Math.round(valToPos(tokens, 'y', true))
  const scale = devicePixelRatio
  ctx.save()
  ctx.strokeStyle = colour
  ctx.lineWidth = 1.5 * scale
  ctx.setLineDash([6 * scale, 4 * scale])
  ctx.beginPath()
  ctx.moveTo(bbox.left, y)
  ctx.lineTo(bbox.left + bbox.width, y)
  ctx.stroke()
  ctx.restore()
  drawLabel(chart, `${name}, ${formatShort(tokens)} tokens`, colour, y - 3 * scale)
}

/** Words at the right edge that end above `y`. */
function drawLabel({ ctx, bbox }: uPlot, text: string, colour: string, y: number): void {
  const scale = devicePixelRatio
  ctx.save()
  ctx.fillStyle = colour
  ctx.font = `${12 * scale}px system-ui`
  ctx.textAlign = 'right'
  ctx.textBaseline = 'bottom'
  ctx.fillText(text, bbox.left + bbox.width - 4 * scale, y)
  ctx.restore()
}

/** A colour of the theme in force, as a canvas takes it. */
function colourOf(frame: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  frame.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
