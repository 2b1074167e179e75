import type { Claim } from '../../../contracts/stages/claim.ts'
import { toSentences } from '../../../text/sentences.ts'
import { type Check, excerpt, fail, NOT_APPLICABLE, pass, quoteList } from '../check.ts'
import { verifyCitations } from '../claims/verify-citation.ts'
import { evidenceOf } from '../claims/verify-statement.ts'
import type { Material } from '../material.ts'
import { findWrongLine } from '../told/wrong-line.ts'

/** Lines in which a name is said to stand that stands in others. */
function findWrongLines({ prose, calls }: Material): Claim[] {
  return toSentences(prose).flatMap((sentence): Claim[] => {
    const wrong = findWrongLine(sentence, calls)
    if (wrong === undefined) return []
    const text = `${excerpt(sentence, 140)} (${wrong.name}: line ${wrong.lines.join(', ')})`
    return [{ text, kind: 'citation', verdict: 'contradicted', evidence: [evidenceOf(wrong.call)] }]
  })
}

/** Every line of a file that the answer points to is there and was shown by a tool. */
export const citations: Check = {
  id: 'citations',
  critical: true,
  trust: 0.95,
  lesson: {
    trigger: 'an answer that points to lines of files',
    cause: '3.3',
    advice: 'Copy file and line from what a tool showed; never write a line number from memory.',
  },
  look(material) {
    const claims = [...verifyCitations(material), ...findWrongLines(material)]
    const wrong = claims.filter(({ verdict }) => verdict !== 'supported')
    if (claims.length === 0) return NOT_APPLICABLE
    if (wrong.length === 0) return { ...pass(), claims }
    return {
      ...fail(
        `no tool has shown the cited line of ${quoteList(wrong.map(({ text }) => text))}`,
        'Point only to lines that a tool has shown, with the number that it gave.',
      ),
      claims,
    }
  },
}
