import type { RunEvent } from '../../contracts/log/event.ts'
import type { Issue } from '../../contracts/stages/inspection.ts'
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
  /** `seq` of the events that show it; the event at hand is added. */
  evidence?: readonly number[]
}

/** What a detector saw before no longer holds. */
export interface Resolution {
  subject: string
  resolved: true
}

export type Watch = (event: RunEvent) => Sighting | Resolution | undefined

/**
 * Looks for one kind of trouble.
 *
 * Contract of the function that `watch` returns: must not throw; takes constant time per event, amortised; keeps its
 * memory bounded.
 */
export interface Detector {
  /** Kebab-case, unique within an inspector: the code of its issues. */
  readonly code: string
  /** Failure mode of the MAST taxonomy (Cemri et al., 2025). */
  readonly mast?: string
  /** The types of events it reads: it is called for no others. */
  readonly on: readonly RunEvent['type'][]
  /** Starts to watch one run; called when the run's first event of these types comes. */
  watch(facts: RunFacts, thresholds: Thresholds): Watch
}
