import type { SvcError } from '../../errors.ts'

/** A provider, tool or agent that is described and cannot be used. What needs it fails with its error. */
export interface UnusablePart {
  kind: 'provider' | 'tool' | 'agent'
  id: string
  /** The file or layer that describes it. */
  source: string
  /** Names the file, the cause, and what to do. */
  error: SvcError
}
