import type { Claim } from '../../../contracts/stages/claim.ts'
import { toStems } from '../../../text/index.ts'
import type { Material } from '../material.ts'
import { findStatements, type Statement } from './find-statements.ts'
import { toWishes, type Wishes } from './task.ts'
import { verifyStatement } from './verify-statement.ts'
import { verifyTests } from './verify-test.ts'

/** How much of a sentence must stand in what was read for it to be a report of that. */
const REPORTED_FROM = 0.6

/** Everything that the answer says was done, each held against the log of the run. Worked out once for all checks. */
export const claimsOf = (material: Material): readonly Claim[] => material.once('claims', () => findClaims(material))

function findClaims(material: Material): Claim[] {
  // Most answers report nothing: then the task need not be read.
  const wishes = (): Wishes =>
    material.once('wishes', () => toWishes(material.task.description, material.output.includes('```')))
  const claims = findStatements(material.prose, wishes, material.standsElsewhere)
    .filter((statement) => !isReported(statement, material))
    .map((statement) => verifyStatement(statement, material.calls))
  return [...mergeEqual(claims), ...verifyTests(material).filter(() => !wishes().draft)]
}

/** A sentence whose verb and most of whose words stand in the task or, in the third person, in what was read. */
function isReported({ text, verb, voice }: Statement, material: Material): boolean {
  const { description } = material.task
  const stems = toStems(text)
  if (
    holds(description, verb) &&
    share(
      stems,
      material.once('task-stems', () => new Set(toStems(description))),
    ) >= REPORTED_FROM
  )
    return true
  if (voice === 'i') return false
  const { readText } = material
  if (!holds(readText, verb)) return false
  return (
    share(
      stems,
      material.once('read-stems', () => new Set(toStems(readText))),
    ) >= REPORTED_FROM
  )
}

const holds = (text: string, verb: string): boolean => text.toLowerCase().includes(verb)

const share = (stems: readonly string[], known: ReadonlySet<string>): number =>
  stems.filter((stem) => known.has(stem)).length / Math.max(1, stems.length)

/** One claim for each sentence, kind and verdict, with the evidence of all. */
export function mergeEqual(claims: readonly Claim[]): Claim[] {
  const merged = new Map<string, Claim>()
  for (const claim of claims) {
    const key = `${claim.kind} ${claim.verdict} ${claim.text}`
    const known = merged.get(key)
    if (known === undefined) merged.set(key, claim)
    else merged.set(key, { ...known, evidence: [...known.evidence, ...claim.evidence.filter(isNewTo(known.evidence))] })
  }
  return [...merged.values()]
}

const isNewTo =
  (known: Claim['evidence']) =>
  ({ seq, path }: Claim['evidence'][number]): boolean =>
    !known.some((other) => other.seq === seq && other.path === path)
