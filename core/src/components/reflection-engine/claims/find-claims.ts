import type { Claim } from '../../../contracts/claim.ts'
import { toStems, toWords } from '../../../text/index.ts'
import type { Material } from '../material.ts'
import { DEEDS } from './deeds.ts'
import { findStatements, type Statement } from './find-statements.ts'
import { holdStatement } from './hold-statement.ts'
import { holdTests } from './hold-test.ts'
import { toWishes } from './task.ts'

/** How much of a sentence must stand in what was read for it to be a report of that. */
const REPORTED_FROM = 0.6
/** Words that nearly every report of work has in place of a verb. */
const STATES: ReadonlySet<string> = new Set('place ready available stored saved located set in'.split(' '))

/** Everything that the answer says was done, each held against the log of the run. Worked out once for all checks. */
export const claimsOf = (material: Material): readonly Claim[] => material.once('claims', () => findClaims(material))

function findClaims(material: Material): Claim[] {
  const words = toWords(material.prose)
  const speaks = words.some((word) => DEEDS.has(word)) || (material.scan.dots && words.some((word) => STATES.has(word)))
  const wishes = material.once('wishes', () => toWishes(material.task.description, material.scan.fences))
  const statements = speaks
    ? findStatements(material.prose, wishes).filter((statement) => !isReported(statement, material))
    : []
  const claims = statements.map((statement) => holdStatement(statement, material.calls))
  return [...mergeEqual(claims), ...holdTests(material, words, wishes)]
}

/** A sentence in the third person whose verb and most of whose words stand in what was read. */
function isReported({ text, verb, voice }: Statement, material: Material): boolean {
  if (voice === 'i') return false
  const read = material.once('read', () =>
    [...material.given, ...material.done.filter((call) => !call.acts).map((call) => call.text)].join('\n'),
  )
  if (!read.toLowerCase().includes(verb)) return false
  const known = material.once('read-stems', () => new Set(toStems(read)))
  const stems = toStems(text)
  return stems.filter((stem) => known.has(stem)).length >= REPORTED_FROM * stems.length
}

/** One claim for each sentence, kind and verdict. */
function mergeEqual(claims: readonly Claim[]): Claim[] {
  const merged = new Map<string, Claim>()
  for (const claim of claims) {
    const key = `${claim.kind} ${claim.verdict} ${claim.text}`
    const known = merged.get(key)
    merged.set(key, known === undefined ? claim : { ...known, evidence: [...known.evidence, ...claim.evidence] })
  }
  return [...merged.values()]
}
