import type { EventType, RunEvent } from '../../contracts/event.ts'
import type { Issue } from '../../contracts/inspection.ts'
import type { RunFacts } from './run-facts.ts'
import type { Thresholds } from './thresholds.ts'

/** Something that a detector saw. */
export interface Sighting {
  /** What it is about, unique within the detector: sightings of one subject are one issue. */
  subject: string
  severity: Issue['severity']
  /** What was seen, as one sentence. */
  message: string
  /** What would help, as one sentence to the agent. */
  fix?: string
  action: Issue['action']
  agentId?: string | undefined
  stepId?: string | undefined
  tool?: string | undefined
  /** `<runId>:<seq>`; the event at hand is added. */
  evidence?: readonly string[]
}

/** What a detector saw before is no longer so. */
export interface Resolution {
  subject: string
  resolved: true
}

export type Watch = (event: RunEvent) => Sighting | Resolution | undefined

/**
 * Looks out for one kind of trouble.
 *
 * Contract of the function that `watch` returns: must not throw; takes constant time per event, amortised; keeps its
 * memory bounded.
 */
export interface Detector {
  /** Kebab-case, unique within an inspector: the code of its issues. */
  readonly code: string
  /** Failure mode of the MAST taxonomy (Cemri et al., 2025). */
  readonly mast?: string
  /** The events it wants to see. */
  readonly on: readonly EventType[]
  /** Starts to watch one run. */
  watch(facts: RunFacts, thresholds: Thresholds): Watch
}
