import type { ScorerOptions } from '../design/experiment-schema.ts'
import { answerOf, clip, type Scorer, textsOf } from './scorer.ts'

/** 1 where the answer is one of the expected texts: spaces at the ends, runs of spaces and a last full stop do not count. */
export function exact({ ignoreCase = true }: ScorerOptions['exact'] = {}): Scorer {
  const normal = (text: string): string => {
    const words = text.normalize('NFC').trim().split(/\s+/u).join(' ')
    const bare = words.endsWith('.') ? words.slice(0, -1) : words
    return ignoreCase ? bare.toLowerCase() : bare
  }
  return {
    about: ignoreCase ? 'exact, ignoring case' : 'exact',
    check: ({ expected }) =>
      textsOf(expected) === undefined ? 'needs `expected`: a text, or a list of texts' : undefined,
    score(answered) {
      const answer = answerOf(answered)
      const right = textsOf(answered.expected)?.some((text) => normal(text) === normal(answer)) === true
      return { score: right ? 1 : 0, evidence: clip(answer) }
    },
  }
}
