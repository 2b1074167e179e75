import type { Static } from 'typebox'
import * as Type from 'typebox'
import { type Run, RunBudget, type RunCreate } from '../run/run.ts'

/** A run with what is needed to run it again. */
export interface RunRow extends Run {
  /** Version of the journal's format: 1, and 2 where a step holds an error, which version 1 reads as an empty answer. */
  format: 1 | 2
  create: RunCreate
  configHash: string
  /** Milliseconds since the epoch: a run that has not begun by then fails. Absent: it may wait for ever. */
  startBy?: number
  /** The first run of a chain of resumed ones: idempotency keys of tools are derived from it. Absent: the run itself. */
  originRunId?: string
  /** Whose memory the run recalls and writes. Absent: the shared one. */
  owner?: string
  /**
   * True of a run whose maker may not loosen policy or budget, and of what goes on from it: it never has more than the config of
   * who works on it allows.
   */
  bounded?: boolean
  /** True of a run that came in a file: what it says is somebody else's, and gives nobody a permission. */
  imported?: boolean
  /** True of a run that goes on, over however many others, from one that came in a file. */
  tainted?: boolean
  /** When tainted calls of the runs that it goes on from could write: what changed meanwhile is tainted here too. */
  taintedSpan?: TaintedSpan
  /** True when the last holder released the run in good order: going on is then no recovery. */
  released?: boolean
  /** Epoch of the lease under which the run last got on; those since then did not get it any further. */
  gotOn?: number
  /** What it may take, as it was when it began: a config that says otherwise by then is for new runs. */
  limits?: RunLimits
  /** Where it was left since it did not fit, once for each config and svc. */
  parted?: readonly Parting[]
  /** Records of another run that this one goes on from; taken over when the run first starts. */
  inherits?: { runId: string; untilSeq?: number; toolResults?: Record<string, unknown> }
}

/**
 * Under which config and svc a run parts from its records, since when, and whether a person said that it goes on under them.
 * Where it has not come to its records, what it needs and is not there, in words.
 */
export interface Parting {
  under: string
  message: string
  at: number
  missing?: string
  isAccepted?: boolean
}

/** What a run may take. */
export const RunLimits = Type.Object({
  tokenBudget: Type.Integer({ minimum: 1, description: 'soft: at so many tokens no new step starts' }),
  maxTokens: Type.Integer({ minimum: 1, description: 'hard: never exceeded' }),
  budget: RunBudget,
})
export type RunLimits = Static<typeof RunLimits>

/** From when until when, in milliseconds since the epoch. */
export interface TaintedSpan {
  from: number
  to: number
}
