import type { OwnScorer, Scored } from '@svc/sdk/experiment'
import { score } from '../../offline/score.ts'
import type { Expected, MadeTasks } from './make-tasks.ts'

/** Lines of files that an answer cites, as `file:line`; each of a range. */
export function citedLines(answer: string): Set<string> {
  const cited = new Set<string>()
  for (const [, file, from, to] of answer.matchAll(/([\w./-]+\.\w+):(\d+)(?:-(\d+))?/g))
    for (let line = Number(from); line <= Math.min(Number(to ?? from), Number(from) + 1_000); line++)
      cited.add(`${file}:${line}`)
  return cited
}

/** Conversations: the part of the evidence that is cited. Sums: the last number is right. Packages: as `bench/offline` judges. */
export const createScorer =
  (questions: MadeTasks['questions']): OwnScorer =>
  ({ expected, result }) =>
    scoreOf(expected as Expected, result.summary, questions)

function scoreOf(expected: Expected, answer: string, questions: MadeTasks['questions']): Scored {
  if (expected.kind === 'lines') {
    const cited = citedLines(answer)
    const found = expected.lines.filter((line) => cited.has(line))
    const evidence = `${found.length} of ${expected.lines.length} lines of evidence; ${cited.size} lines cited`
    return { score: found.length / expected.lines.length, evidence }
  }
  if (expected.kind === 'number') {
    const last = numbersOf(answer).at(-1)
    return { score: last === Number(expected.number.replaceAll(',', '')) ? 1 : 0, evidence: `last number ${last}` }
  }
  const asked = questions.get(expected.id)
  if (asked === undefined) return { score: 0, evidence: `no question ${expected.id}` }
  const scored = score(asked, answer)
  return { score: scored === 'right' || (scored === 'honest' && asked.expect.length === 0) ? 1 : 0, evidence: scored }
}

/** The numbers of a text, thousands separators taken out. */
const numbersOf = (text: string): number[] =>
  (text.replace(/\([^()]*:\d+[^()]*\)/g, ' ').match(/-?\d+(?:,\d{3})*(?:\.\d+)?/g) ?? []).map((item) =>
    Number(item.replaceAll(',', '')),
  )
