/** Simple rules for who broke a run and in which message: what an attribution has to beat. All are tried, the best counts. */

interface Message {
  agent: string
  content: string
}

interface AttributionRule {
  name: string
  agent(history: readonly Message[]): string | undefined
  step(history: readonly Message[]): number
}

const isBystander = (agent: string): boolean => agent === 'human' || agent === 'Computer_terminal'
const ERROR = /\berror\b|traceback|exception/i

export const ATTRIBUTION_RULES: readonly AttributionRule[] = [
  {
    name: 'first speaker or step 0',
    agent: (history) => history.find(({ agent }) => !isBystander(agent))?.agent,
    step: () => 0,
  },
  {
    name: 'last speaker or step',
    agent: (history) => history.findLast(({ agent }) => !isBystander(agent))?.agent,
    step: (history) => history.length - 1,
  },
  { name: 'most turns or step 1', agent: (history) => largest(history, () => 1), step: () => 1 },
  {
    name: 'most text or middle step',
    agent: (history) => largest(history, ({ content }) => content.length),
    step: (history) => Math.floor(history.length / 2),
  },
  {
    name: 'speaker at the first error',
    agent: (history) => {
      const at = history.findIndex(({ content }) => ERROR.test(content))
      return history[lastSpokenBy(history, at === -1 ? history.length - 1 : at)]?.agent
    },
    step: (history) =>
      lastSpokenBy(
        history,
        history.findIndex(({ content }) => ERROR.test(content)),
      ),
  },
]

/** The newest message of a speaker up to a place; 0 when there is none. */
const lastSpokenBy = (history: readonly Message[], at: number): number =>
  Math.max(
    0,
    history.slice(0, at + 1).findLastIndex(({ agent }) => !isBystander(agent)),
  )

function largest(history: readonly Message[], weigh: (message: Message) => number): string | undefined {
  const sums = new Map<string, number>()
  for (const message of history) {
    if (!isBystander(message.agent)) sums.set(message.agent, (sums.get(message.agent) ?? 0) + weigh(message))
  }
  return [...sums].sort((one, other) => other[1] - one[1])[0]?.[0]
}
