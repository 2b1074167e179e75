import type { ExperimentReport } from '@svc/sdk/remote'
import { oneLine } from '../../parts/format.ts'
import { toCost, toPercent } from './figures.ts'

/** Room to the right of the dearest arm. */
const ROOM = 1.05

/** Cost across, quality up, a cross of intervals for each arm; those that nothing beats are joined. Hidden from readers: a table says the same. */
export function FrontPlot({ report: { frontier, arms } }: { report: ExperimentReport }) {
  const points = frontier.arms.flatMap(({ id, cost }) => {
    const quality = arms.find((arm) => arm.id === id)?.quality
    return quality === undefined || cost.value === null || quality.value === null ? [] : [{ id, cost, quality }]
  })
  const most = Math.max(...points.map(({ cost }) => cost.interval?.high ?? cost.value), Number.MIN_VALUE) * ROOM
  const x = (value: number): string => `${((Math.max(0, value) / most) * 100).toFixed(2)}%`
  const y = (value: number): string => `${((1 - Math.min(1, Math.max(0, value))) * 100).toFixed(2)}%`
  const write = toCost(frontier.by)
  const onFront = frontier.front.flatMap((id) => points.find((point) => point.id === id) ?? [])
  return (
    <figure class="front-plot">
      <div aria-hidden="true">
        <svg>
          {[0, 0.25, 0.5, 0.75, 1].map((part) => (
            <line key={part} class="grid-line" x1="0" x2="100%" y1={y(part)} y2={y(part)} />
          ))}
          {onFront.slice(1).map((point, index) => {
            const before = onFront[index] ?? point
            return (
              <line
                key={point.id}
                class="front-line"
                x1={x(before.cost.value)}
                y1={y(before.quality.value)}
                x2={x(point.cost.value)}
                y2={y(point.quality.value)}
              />
            )
          })}
          {points.map(({ id, cost, quality }) => (
            <g key={id} data-choice={frontier.front.includes(id) ? 'front' : 'beaten'}>
              {quality.interval !== null && (
                <line
                  class="range"
                  x1={x(cost.value)}
                  x2={x(cost.value)}
                  y1={y(quality.interval.low)}
                  y2={y(quality.interval.high)}
                />
              )}
              {cost.interval !== null && (
                <line
                  class="range"
                  x1={x(cost.interval.low)}
                  x2={x(cost.interval.high)}
                  y1={y(quality.value)}
                  y2={y(quality.value)}
                />
              )}
              <circle class="dot" cx={x(cost.value)} cy={y(quality.value)} r="5" />
              <text
                x={x(cost.value)}
                y={y(quality.value)}
                dx={cost.value > most / 2 ? -9 : 9}
                dy={quality.value < 0.15 ? -9 : 18}
                text-anchor={cost.value > most / 2 ? 'end' : 'start'}
              >
                {oneLine(id, 24)}
              </text>
            </g>
          ))}
        </svg>
        <p class="row tiny soft front-axis">
          <span>{write(0)}</span>
          <span>{frontier.by === 'costUsd' ? 'dollars' : 'tokens'} of a run, mean</span>
          <span>{write(most)}</span>
        </p>
      </div>
      <figcaption class="small soft">
        Quality from {toPercent(0)} to {toPercent(1)} upwards, cost to the right, each with its 95 % interval. The line
        joins the arms that no other beats in both.
      </figcaption>
    </figure>
  )
}
