import type { GivenTurn } from '../../contracts/model/given-turn.ts'
import type { RunCreate } from '../../contracts/run/run.ts'
import type { ThreadMessage } from '../../contracts/run/thread.ts'
import type { FieldError } from '../../errors.ts'
import { findMediaFault, isMedia } from '../../text/media/media.ts'

type Call = NonNullable<GivenTurn['calls']>[number]

/**
 * What was said before a run, as messages of a thread: each turn of a user begins a round, and what follows belongs to it. Calls
 * of tools that the run is not offered come in words: no model takes a call of a tool that it does not know.
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

/** What is wrong with what was said before. */
export function findTurnFaults({ threadId, turns = [] }: RunCreate): FieldError[] {
  const faults: FieldError[] = []
  const add = (path: string, message: string): void => void faults.push({ path: `/turns${path}`, message })
  if (threadId !== undefined && turns.length > 0) add('', 'say what a thread says: leave them or `threadId` out')
  for (const [at, { role, context = [], calls }] of turns.entries()) {
    if (role === 'assistant' && context.length > 0) add(`/${at}/context`, 'is for turns of a user')
    if (role === 'user' && calls !== undefined) add(`/${at}/calls`, 'is for turns of an assistant')
    for (const [place, part] of context.entries()) {
      const fault = isMedia(part) ? findMediaFault(part) : undefined
      if (fault !== undefined) add(`/${at}/context/${place}`, fault)
    }
  }
  return faults
}
