/** One number of several, as a bar and in words. */
export interface Gauge {
  label: string
  value: number
  /** What a full bar stands for. */
  of: number
  text: string
  /** Default: `accent`. */
  tone?: 'accent' | 'over' | 'soft'
}

/** Numbers one below the other, as bars and in words. */
export function Gauges({ gauges }: { gauges: readonly Gauge[] }) {
  return (
    <ul class="gauges">
      {gauges.map(({ label, value, of, text, tone = 'accent' }) => (
        <li key={label} class="gauge" data-tone={tone}>
          <span>{label}</span>
          <span class="gauge-track" aria-hidden="true">
            <span class="gauge-fill" style={{ width: `${of > 0 ? Math.min(1, Math.max(0, value / of)) * 100 : 0}%` }} />
          </span>
          <span class="gauge-text number">{text}</span>
        </li>
      ))}
    </ul>
  )
}
