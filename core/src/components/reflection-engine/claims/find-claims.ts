import type { Claim } from '../../../contracts/claim.ts'
import { toStems } from '../../../text/index.ts'
import { hasAny, type Material } from '../material.ts'
import { DEEDS } from './deeds.ts'
import { findStatements, type Statement } from './find-statements.ts'
import { holdStatement } from './hold-statement.ts'
import { holdTests, TEST_WORDS } from './hold-test.ts'
import { toWishes } from './task.ts'

/** How much of a sentence must stand in what was read for it to be a report of that. */
const REPORTED_FROM = 0.6
/** Words that nearly every report of work has in place of a verb. */
const STATES: ReadonlySet<string> = new Set('place ready available stored saved located set in'.split(' '))

/** Everything that the answer says was done, each held against the log of the run. Worked out once for all checks. */
export const claimsOf = (material: Material): readonly Claim[] => material.once('claims', () => findClaims(material))

function findClaims(material: Material): Claim[] {
  const { words, scan } = material
  const speaks = hasAny(words, DEEDS) || (scan.dots && hasAny(words, STATES))
  const tests = hasAny(words, TEST_WORDS)
  if (!speaks && !tests) return []
  const wishes = toWishes(material.task.description, scan.fences)
  const statements = speaks
    ? findStatements(material.prose, wishes, material.standsElsewhere).filter(
        (statement) => !isReported(statement, material),
      )
    : []
  const claims = statements.map((statement) => holdStatement(statement, material.calls))
  return [...mergeEqual(claims), ...(tests && !wishes.draft ? holdTests(material) : [])]
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
export function mergeEqual(claims: Claim[]): Claim[] {
  if (claims.length < 2) return claims
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
