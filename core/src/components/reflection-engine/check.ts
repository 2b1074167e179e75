import type { Claim } from '../../contracts/stages/claim.ts'
import type { CheckResult } from '../../contracts/stages/reflection.ts'
import type { Call } from '../../text/calls/call.ts'
import type { Material } from './material.ts'
import type { Statement } from './statements/to-statements.ts'

/** What one check found. */
export interface Finding {
  /** `na`: there was nothing that this check could look at. */
  result: CheckResult['result']
  /** The words that show it. A failure without them never asks for another try. */
  evidence?: string
  /** What the next try should do differently. */
  hint?: string
  /** False: evidence that is nothing new to another try. Default true. */
  isNew?: boolean
  /** Overrides `critical` of the check, where a failure is milder or graver than usual. */
  critical?: boolean
  /** What the answer says was done or read, held against the log. */
  claims?: readonly Claim[]
}

/**
 * One question about an answer that can be decided by looking.
 *
 * Contract: reads only what it is given; takes time linear in it; a check that throws counts as `na`.
 */
export interface Check {
  /** Kebab-case, unique within an engine. */
  readonly id: string
  /**
   * A failure means that the answer is false by the run's own log or breaks the asked schema: it counts three times in
   * the score, and a run whose last answer fails it is incomplete.
   */
  readonly critical: boolean
  /** A failure alone is enough not to pass. Default: that of `critical`. */
  readonly strict?: boolean
  /** How far its results can be trusted, in [0, 1]; default .5. */
  readonly trust?: number
  /** What a failure teaches for later runs. */
  readonly lesson?: { readonly trigger: string; readonly cause?: string; readonly advice: string }
  look(material: Material): Finding | Promise<Finding>
}

/** What a check found, `critical` where that counts as critical here. */
export type Found = Finding & Pick<CheckResult, 'critical' | 'by'> & { readonly check: Check }

/** Whether it is enough not to pass. */
export const failsAlone = ({ check: { strict = false }, result, critical }: Found): boolean =>
  result === 'fail' && (critical || strict)

/** There was nothing to look at; it is as it should be; it is not: the words that show it, and what to do. */
export const NOT_APPLICABLE: Finding = Object.freeze({ result: 'na' })
export const PASSES: Finding = Object.freeze({ result: 'pass' })
export const fail = (evidence: string, hint: string): Finding => ({ result: 'fail', evidence, hint })

/** What the evidence of a run says of a statement. `isNew` false: nothing that the agent has not heard before. */
export type Holding = Omit<Claim, 'text'> & { readonly isNew?: boolean }

/**
 * One way to hold a statement against the evidence.
 *
 * Contract: `supported` only where the evidence shows all that the statement says, `contradicted` only where it shows that
 * something in it is false; else undefined. Time is bounded for any statement.
 */
export type Rule = (statement: Statement, material: Material) => Holding | undefined | Promise<Holding | undefined>

/** The event that shows a call, with its file, hash and exit code. */
const toEvidence = ({ seq, path, sha256, exitCode }: Call): Claim['evidence'][number] =>
  Object.fromEntries(Object.entries({ seq, path, sha256, exitCode }).filter(([, value]) => value !== undefined))

/** The calls show that something in a statement is false. */
export const contradict = (kind: Claim['kind'], why: string, ...calls: readonly (Call | undefined)[]): Holding => ({
  verdict: 'contradicted',
  kind,
  evidence: calls.flatMap((call) => (call === undefined ? [] : [toEvidence(call)])),
  why,
  // The agent heard of a denial when it happened.
  ...(calls.length > 0 && calls.every((call) => call?.status === 'denied') && { isNew: false }),
})

/** The calls show all that a statement says. */
export const support = (kind: Claim['kind'], calls: Iterable<Call>): Holding => ({
  verdict: 'supported',
  kind,
  evidence: [...new Set(calls)].map(toEvidence),
})
