import type { Claim } from '../../../contracts/stages/claim.ts'
import type { Call } from '../../../text/calls/call.ts'
import type { Material } from '../material.ts'
import type { Statement } from '../statements/to-statements.ts'

/** What the evidence of a run says of a statement. */
export interface Holding {
  readonly verdict: Extract<Claim['verdict'], 'supported' | 'contradicted'>
  readonly kind: Claim['kind']
  readonly evidence: Claim['evidence']
  /** Of a contradiction: what is really so, for the next try and for a person. */
  readonly why?: string
  /** False: nothing that the agent has not heard before. Default true. */
  readonly isNew?: boolean
}

/**
 * One way to hold a statement against the evidence.
 *
 * Contract: `supported` only where the evidence shows all that the statement says, `contradicted` only where it shows that
 * something in it is false; else undefined. Time is bounded for any statement.
 */
export type Rule = (statement: Statement, material: Material) => Holding | undefined | Promise<Holding | undefined>

/** The event that shows a call, with its file, hash and exit code. */
export const evidenceOf = ({ seq, path, sha256, exitCode }: Call): Claim['evidence'][number] =>
  Object.fromEntries(Object.entries({ seq, path, sha256, exitCode }).filter(([, value]) => value !== undefined))

/** The calls show that something in a statement is false. */
export const contradict = (kind: Claim['kind'], why: string, ...calls: readonly (Call | undefined)[]): Holding => ({
  verdict: 'contradicted',
  kind,
  evidence: calls.flatMap((call) => (call === undefined ? [] : [evidenceOf(call)])),
  why,
  // The agent heard of a denial when it happened.
  ...(calls.length > 0 && calls.every((call) => call?.status === 'denied') && { isNew: false }),
})

/** The calls show all that a statement says. */
export const support = (kind: Claim['kind'], calls: Iterable<Call>): Holding => ({
  verdict: 'supported',
  kind,
  evidence: [...new Set(calls)].map(evidenceOf),
})
