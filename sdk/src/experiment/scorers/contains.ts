import type { ScorerOptions } from '../design/experiment-schema.ts'
import { answerOf, clip, type Scorer, textsOf } from './scorer.ts'

/** Whether the answer holds the expected texts, ignoring case: all of them (a part of them scores that part), any, or none. */
export function contains({ mode = 'all' }: ScorerOptions['contains'] = {}): Scorer {
  return {
    about: `contains ${mode}, ignoring case`,
    check: ({ expected }) =>
      textsOf(expected) === undefined ? 'needs `expected`: a text, or a list of texts' : undefined,
    score(answered) {
      const answer = answerOf(answered).normalize('NFC').toLowerCase()
      const texts = textsOf(answered.expected) ?? []
      const found = texts.filter((text) => answer.includes(text.normalize('NFC').toLowerCase()))
      const missing = texts.filter((text) => !found.includes(text))
      const score = mode === 'all' ? found.length / texts.length : found.length > 0 === (mode === 'any') ? 1 : 0
      const said = [
        ...(found.length > 0 ? [`holds ${found.join(', ')}`] : []),
        ...(missing.length > 0 ? [`lacks ${missing.join(', ')}`] : []),
      ]
      return { score, evidence: clip(said.join('; ')) }
    },
  }
}
