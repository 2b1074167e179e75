import { useEffect, useState } from 'preact/hooks'

/** How long it says that it has copied. */
const SAID_MS = 2_000

interface CopyProps {
  text: string
  label: string
  /** What is copied, for people who cannot see what it stands beside. */
  of: string
}

/** Copies a text. Pages that came over plain HTTP from another machine have no clipboard, and so no such button. */
export function CopyButton({ text, label, of }: CopyProps) {
  const [said, setSaid] = useState<{ words: string }>()
  useEffect(() => {
    if (said === undefined) return
    const timer = setTimeout(() => setSaid(undefined), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  if (navigator.clipboard === undefined) return null
  const copy = async (): Promise<void> => {
    const words = await navigator.clipboard.writeText(text).then(
      () => 'Copied',
      () => 'Not copied',
    )
    setSaid({ words })
  }
  return (
    <button
      type="button"
      class="plain small"
      onClick={copy}
      aria-label={said === undefined ? `${label} ${of}` : undefined}
    >
      <span aria-live="polite">{said?.words ?? label}</span>
    </button>
  )
}
