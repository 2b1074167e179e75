import { toSummaryRequest } from '@svc/core/client'
import type { RunCreate } from '@svc/sdk/remote'
import { costOfRuns, formatCount } from '../../parts/format.ts'
import { runtime } from '../../session/session.ts'
import type { Sending } from '../use-sending.ts'
import type { Start } from '../use-start.ts'
import { COMMANDS, type CommandName } from './commands.ts'
import { changeOptions } from './draft-state.ts'

interface CommandContext {
  /** Of the conversation; empty: there is none yet. */
  id: string
  say: Pick<Sending, 'note' | 'problem'>
  ask: (task: string, changes: Partial<RunCreate>) => Promise<void>
  start: Start
  undo: () => Promise<void>
  begin: () => void
}

/** Does what a message says that begins with a slash. @param rest what follows the name */
export async function runCommand(name: CommandName, rest: string, context: CommandContext): Promise<void> {
  const { id, say, ask, start, undo, begin } = context
  const { note, problem } = say
  switch (name) {
    case 'plan':
      if (rest === '') problem.value = 'Write what is to be planned: /plan <task>.'
      else await ask(rest, { mode: 'plan' })
      return
    case 'model':
      changeOptions({ model: rest })
      note.value = rest === '' ? 'The default model is asked from now on.' : `${rest} is asked from now on.`
      return
    case 'compact':
      if (id === '') problem.value = 'Nothing was said in this conversation yet.'
      else await start({ ...toSummaryRequest(rest), approval: 'wait' }, { summarizes: true })
      return
    case 'undo':
      return undo()
    case 'cost': {
      const sum = id === '' ? undefined : await runtime.value.runs.summary({ threadId: id })
      note.value =
        sum === undefined
          ? 'Nothing was spent in this conversation yet.'
          : `${formatCount(sum.total)} runs, ${formatCount(sum.tokens)} tokens, ${costOfRuns(sum)}.`
      return
    }
    case 'new':
      return begin()
    case 'help':
      note.value = `${COMMANDS.map(([word, args, about]) => `/${word}${args && ` ${args}`}: ${about}`).join(' · ')} · @ names a file of the workspace`
  }
}
