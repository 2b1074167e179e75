import type { RunCreate, ToolCallView } from '@svc/core'
import { createProgress } from '../progress/index.ts'
import type { Progress } from '../progress/progress.ts'
import { followRun, startRun } from '../session/follow-run.ts'
import type { Chat } from './commands/chat.ts'
import type { Outbox } from './outbox.ts'
import type { ChatTerminal } from './terminal.ts'

/** The exit code of a run that a person has stopped. */
const INTERRUPTED = 130

export interface TurnOptions {
  isDurable: boolean
  outbox: Outbox
  /** Undefined in a pipe. */
  terminal: ChatTerminal | undefined
  /** Hears of each call that has ended. */
  onCall(call: ToolCallView): void
}

/** Runs one turn of a conversation. @returns the exit code */
export async function takeTurn(chat: Chat, request: RunCreate, options: TurnOptions): Promise<number> {
  const { context, runtime, threadId } = chat
  const { isDurable, outbox, terminal } = options
  const { id } = await startRun(context, runtime, { ...request, threadId })
  const progress = showTurn(chat, options)
  const onEvent: Outbox['apply'] = (event) => outbox.apply(event)
  const follow = (): Promise<number> =>
    followRun(context, runtime, id, progress, { isDurable, isOneOfMany: true, onEvent })
  if (terminal === undefined) return follow()
  // A plan has no agents, and a summary is about what was said before.
  outbox.begin(request.mode === 'plan' || request.summarizes === true ? undefined : id)
  let isStopped = false
  let code = INTERRUPTED
  try {
    code = await terminal.work(follow, (key) => {
      // A second signal ends the process.
      if (!isStopped || key === 'ctrl-c') process.emit('SIGINT', 'SIGINT')
      isStopped = true
    })
    return code
  } finally {
    terminal.giveBack(await outbox.end(id, code === INTERRUPTED))
  }
}

function showTurn(chat: Chat, { terminal, onCall }: TurnOptions): Progress {
  const { context, screen } = chat
  const hasDetails = (): boolean => chat.hasDetails
  const progress = createProgress(context.flags, context.io, screen, { hint: 'Esc stops', hasDetails, onCall })
  if (terminal === undefined || screen !== undefined) return progress
  // Lines that are typed are read while it works.
  return { ...progress, pause: (work) => terminal.pause(() => progress.pause(work)) }
}
