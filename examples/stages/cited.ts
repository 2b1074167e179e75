import { definePlugin, noUsage } from '@svc/core'

/** Replaces `reflect`: an answer passes when every line of it that is no heading names the file it comes from. */
export const cited = definePlugin('cited', ({ hooks }) => {
  hooks.reflect.tap('cited', (answer, { execution }) => {
    if (answer) return answer // somebody else judged already
    const lines = execution.output.split('\n').filter((line) => line.trim() !== '' && !line.endsWith(':'))
    const bare = lines.filter((line) => !/\([^()]+:\d+(-\d+)?\)$/.test(line))
    return {
      verdict: bare.length === 0 ? 'pass' : 'fail',
      score: lines.length === 0 ? 0 : 1 - bare.length / lines.length,
      confidence: 1,
      checks: [
        {
          id: 'cited',
          result: bare.length === 0 ? 'pass' : 'fail',
          critical: true,
          evidence: bare.join('\n'),
          by: 'rule',
        },
      ],
      lessons: [],
      usage: noUsage(),
    }
  })
})
