const MOST_LINES = 400
const TONES: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'place' }

/** A unified diff, its lines marked by sign and colour. */
export function DiffText({ text, label }: { text: string; label: string }) {
  const lines = text.split('\n')
  return (
    <pre class="long-text diff" tabIndex={0} role="region" aria-label={label}>
      {lines.slice(0, MOST_LINES).map((line, index) => (
        <span key={index} data-tone={/^(---|\+\+\+) /.test(line) ? 'place' : TONES[line.charAt(0)]}>
          {`${line}\n`}
        </span>
      ))}
      {lines.length > MOST_LINES && <span>… and {lines.length - MOST_LINES} lines more</span>}
    </pre>
  )
}
