import { ConfigError } from '@svc/core'
import type { OwnScorer } from '../design/experiment-schema.ts'
import { clip, type Scorer } from './scorer.ts'

/** A function of the experiment's file. What it answers must be a number in [0, 1]. */
export const own = (score: OwnScorer): Scorer => ({
  about: score.name === '' || score.name === 'scorer' ? 'own function' : `own function ${score.name}`,
  check: () => undefined,
  async score({ id, task, expected, result, events }) {
    const found = await score({ id, task, expected, result, events })
    const given = typeof found === 'object' && found !== null ? found : { score: found }
    if (typeof given.score !== 'number' || !(given.score >= 0 && given.score <= 1))
      throw new ConfigError(
        'config_invalid',
        `the scorer answered ${JSON.stringify(found) ?? String(found)}: it must answer a number from 0 to 1, or { score, evidence }`,
      )
    return {
      score: given.score,
      ...('evidence' in given && given.evidence !== undefined ? { evidence: clip(String(given.evidence)) } : {}),
    }
  },
})
