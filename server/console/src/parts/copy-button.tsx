import { useState } from 'preact/hooks'

interface CopyProps {
  text: string
  label: string
  /** What is copied, for people who cannot see what it stands beside. */
  of: string
}

/** Copies a text. Pages that came over plain HTTP from another machine have no clipboard, and so no such button. */
export function CopyButton({ text, label, of }: CopyProps) {
  const [said, setSaid] = useState('')
  if (navigator.clipboard === undefined) return null
  const copy = async (): Promise<void> => {
    setSaid(
      await navigator.clipboard.writeText(text).then(
        () => 'Copied',
        () => 'Not copied',
      ),
    )
    setTimeout(() => setSaid(''), 2_000)
  }
  return (
    <button type="button" class="plain small" onClick={copy} aria-label={said === '' ? `${label} ${of}` : undefined}>
      <span aria-live="polite">{said === '' ? label : said}</span>
    </button>
  )
}
