/** One number of several, as a bar and in words. */
export function Bar({
  label,
  value,
  of,
  text,
  tone = 'accent',
}: {
  label: string
  value: number
  /** What a full bar stands for. */
  of: number
  text: string
  tone?: 'accent' | 'over' | 'soft'
}) {
  const share = of > 0 ? Math.min(1, Math.max(0, value / of)) : 0
  return (
    <li class="gauge" data-tone={tone}>
      <span class="gauge-label">{label}</span>
      <span class="gauge-track" aria-hidden="true">
        <span class="gauge-fill" style={{ width: `${(share * 100).toFixed(1)}%` }} />
      </span>
      <span class="gauge-text number">{text}</span>
    </li>
  )
}
