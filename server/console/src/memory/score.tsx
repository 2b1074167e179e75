/** How well something fits, from 0 to 1, as a number and a bar. */
export function Score({ score, label = 'score' }: { score: number; label?: string }) {
  return (
    <span class="score">
      <span>
        {label} {score.toFixed(2)}
      </span>
      <meter min={0} max={1} value={Math.min(1, Math.max(0, score))} aria-label={label} />
    </span>
  )
}
