import type { GivenTurn } from '../../contracts/run/caller.ts'
import type { RunCreate } from '../../contracts/run/run.ts'
import type { ThreadMessage } from '../../contracts/run/thread.ts'

type Call = NonNullable<GivenTurn['calls']>[number]

/**
 * What was said before a run, as messages of a thread: each turn of a user begins a round, and what follows belongs to it. Calls
 * of tools that the run is not offered are told in words: no model takes a call of a tool that it does not know.
 */
export function toMessages({ turns = [], clientTools = [] }: RunCreate, createdAt: string): ThreadMessage[] {
  const offered = new Set(clientTools.map(({ name }) => name))
  let round = 0
  return turns.map(({ role, content, context, calls = [] }): ThreadMessage => {
    if (role === 'user') round++
    const [known, others] = [
      calls.filter(({ tool }) => offered.has(tool)),
      calls.filter(({ tool }) => !offered.has(tool)),
    ]
    return {
      role,
      content: [content, ...others.map(inWords)].filter((text) => text !== '').join('\n\n'),
      ...(context && { context }),
      ...(known.length > 0 && { calls: known }),
      runId: `turn_${round}`,
      createdAt,
    }
  })
}

const inWords = ({ tool, args, result }: Call): string => `[called ${tool} with ${JSON.stringify(args)}: ${result}]`
