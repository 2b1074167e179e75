import type { Claim } from '../../../contracts/stages/claim.ts'
import { toSentences } from '../../../text/sentences.ts'
import { type Check, excerpt, fail, NOT_APPLICABLE, pass, quoteList } from '../check.ts'
import { verifyCitations } from '../claims/verify-citation.ts'
import { evidenceOf } from '../claims/verify-statement.ts'
import type { Material } from '../material.ts'
import { findWrongLines } from '../told/wrong-line.ts'

/** Names that are said to stand in one line and stand in others. */
const toClaims = ({ prose, calls }: Material): Claim[] =>
  findWrongLines(toSentences(prose), calls).map(({ sentence, name, lines, call }) => ({
    text: `${excerpt(sentence, 140)} (${name}: line ${lines.join(', ')})`,
    kind: 'citation',
    verdict: 'contradicted',
    evidence: [evidenceOf(call)],
  }))

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
    const claims = [...verifyCitations(material), ...toClaims(material)]
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
