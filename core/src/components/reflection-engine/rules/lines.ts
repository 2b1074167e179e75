import { verifyCitations } from '../claims/verify-citation.ts'
import { findWrongLines } from '../told/wrong-line.ts'
import { evidenceOf, type Rule } from './rule.ts'

/** Every line that the answer points to was shown, and what is said to stand there stands there. */
export const lines: Rule = {
  id: 'citations',
  trust: 0.95,
  lesson: {
    trigger: 'an answer that points to lines of files',
    cause: '3.3',
    advice: 'Copy file and line from what a tool showed; never write a line number from memory.',
  },
  hint: 'Point only to lines that a tool has shown, with the number that it gave.',
  hold({ text }, material) {
    const [wrong] = findWrongLines([text], material.calls)
    if (wrong !== undefined)
      return {
        verdict: 'contradicted',
        kind: 'citation',
        evidence: [evidenceOf(wrong.call)],
        why: `${wrong.name} stands in line ${wrong.lines.join(', ')}`,
      }
    const cited = material.once('citations', () => verifyCitations(material)).find(
      (claim) => claim.verdict !== 'supported' && text.includes(claim.text.replace(/…$/, '')),
    )
    return cited && { verdict: 'contradicted', kind: 'citation', evidence: cited.evidence, why: 'no tool has shown the cited line' }
  },
}
