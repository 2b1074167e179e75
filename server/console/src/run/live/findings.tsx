import type { ComponentChildren } from 'preact'
import { signOf } from '../../parts/status.tsx'

/** Things that were found, one below the other. */
export function Findings({ children }: { children: ComponentChildren }) {
  return <ul class="stack tight">{children}</ul>
}

/** One thing that was found: a sign for how it stands, and words. */
export function Finding({ of, children }: { of: string; children: ComponentChildren }) {
  return (
    <li class="finding" data-status={of}>
      <span class="sign" aria-hidden="true">
        {signOf(of)}
      </span>
      <span>{children}</span>
    </li>
  )
}

/** Several sentences, or nothing where there is none. */
export function Sentences({ of }: { of: readonly string[] }) {
  if (of.length === 0) return null
  return (
    <ul class="stack tight">
      {of.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}
