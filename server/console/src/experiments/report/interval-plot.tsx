import type { Interval } from '@svc/sdk/remote'

export interface PlotRow {
  label: string
  value: number | null
  interval: Interval | null
  /** Said at the end of the row. */
  text: string
  tone?: string | undefined
}

interface IntervalPlotProps {
  rows: readonly PlotRow[]
  /** Both ends of the axis. */
  domain: readonly [from: number, to: number]
  /** Values with a line across, and their labels. */
  ticks: readonly { at: number; label: string }[]
  /** A range that is shaded. */
  band?: readonly [from: number, to: number]
  caption: string
}

/** A dot with its interval for each row, on one axis. The table below says the same, so it is hidden from readers. */
export function IntervalPlot({ rows, domain: [from, to], ticks, band, caption }: IntervalPlotProps) {
  // Of halves, since the whole length of the largest numbers is none.
  const at = (value: number): string =>
    `${(((Math.min(to, Math.max(from, value)) / 2 - from / 2) / (to / 2 - from / 2)) * 100).toFixed(2)}%`
  const width = (low: number, high: number): string =>
    `${(Number.parseFloat(at(high)) - Number.parseFloat(at(low))).toFixed(2)}%`
  return (
    <figure class="interval-plot">
      <div aria-hidden="true">
        {rows.map(({ label, value, interval, text, tone }) => (
          <div key={label} class="plot-row" data-finding={tone}>
            <span class="clip" title={label}>
              {label}
            </span>
            <svg>
              {band !== undefined && <rect class="band" x={at(band[0])} width={width(...band)} y="0" height="100%" />}
              {ticks.map((tick) => (
                <line key={tick.at} class="grid-line" x1={at(tick.at)} x2={at(tick.at)} y1="0" y2="100%" />
              ))}
              {interval !== null && (
                <line class="range" x1={at(interval.low)} x2={at(interval.high)} y1="50%" y2="50%" />
              )}
              {value !== null && <circle class="dot" cx={at(value)} cy="50%" r="5" />}
            </svg>
            <span class="number tiny">{text}</span>
          </div>
        ))}
        <div class="plot-row plot-axis tiny soft">
          <span />
          <svg>
            {ticks.map((tick, index) => (
              <text
                key={tick.at}
                x={at(tick.at)}
                y="14"
                text-anchor={index === 0 ? 'start' : index === ticks.length - 1 ? 'end' : 'middle'}
              >
                {tick.label}
              </text>
            ))}
          </svg>
          <span />
        </div>
      </div>
      <figcaption class="small soft">{caption}</figcaption>
    </figure>
  )
}
