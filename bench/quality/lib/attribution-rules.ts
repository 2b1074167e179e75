/** Simple rules for the message in which a run broke: what an attribution has to beat. All are tried, the best counts. */

interface Message {
  agent: string
  content: string
}

interface AttributionRule {
  name: string
  step(history: readonly Message[]): number
}

const isBystander = (agent: string): boolean => agent === 'human' || agent === 'Computer_terminal'
const ERROR = /\berror\b|traceback|exception/i

export const ATTRIBUTION_RULES: readonly AttributionRule[] = [
  { name: 'first message', step: () => 0 },
  { name: 'second message', step: () => 1 },
  { name: 'middle message', step: (history) => Math.floor(history.length / 2) },
  { name: 'last message', step: (history) => history.length - 1 },
  {
    name: 'speaker at the first error',
    step: (history) => {
      const at = history.findIndex(({ content }) => ERROR.test(content))
      return Math.max(
        0,
        history.slice(0, at + 1).findLastIndex(({ agent }) => !isBystander(agent)),
      )
    },
  },
]
