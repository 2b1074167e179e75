const MOST_LINES = 400
const TONES: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'place' }

/** A unified diff, its lines marked by sign and colour. */
export function DiffText({ text, label, mostLines = MOST_LINES }: { text: string; label: string; mostLines?: number }) {
  const lines = text.split('\n')
  return (
    <pre class="long-text diff" tabIndex={0} role="region" aria-label={label}>
      {lines.slice(0, mostLines).map((line, index) => (
        <span key={index} data-tone={/^(---|\+\+\+) /.test(line) ? 'place' : TONES[line.charAt(0)]}>
          {`${line}\n`}
        </span>
      ))}
      {lines.length > mostLines && <span>… and {lines.length - mostLines} lines more</span>}
    </pre>
  )
}
