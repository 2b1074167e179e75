import type { RunCreate, ToolCallView } from '@svc/core'
import { reportError } from '../frame/report-error.ts'
import { createProgress } from '../progress/index.ts'
import type { Progress } from '../progress/progress.ts'
import { followRun, startRun } from '../session/follow-run.ts'
import type { Chat } from './commands/chat.ts'
import type { ChatTerminal } from './terminal.ts'
import { TurnMessages } from './turn-messages.ts'

/** The exit code of a run that a person has stopped. */
const INTERRUPTED = 130

export interface TurnOptions {
  isDurable: boolean
  /** Undefined in a pipe. */
  terminal: ChatTerminal | undefined
  /** Hears of each call that has ended. */
  onCall(call: ToolCallView): void
}

/**
 * Runs one turn of a conversation. What is said to it and read by none of its agents is the next turn.
 *
 * @returns the exit code
 */
export async function takeTurn(chat: Chat, request: RunCreate, options: TurnOptions): Promise<number> {
  const { context, runtime, threadId } = chat
  const { isDurable, terminal } = options
  const { id } = await startRun(context, runtime, { ...request, threadId })
  const progress = showTurn(chat, options)
  if (terminal === undefined) return followRun(context, runtime, id, progress, { isDurable, isOneOfMany: true })
  // A plan has no agents, and a summary is about what was said before.
  const isHeard = request.mode !== 'plan' && request.summarizes !== true
  const messages = isHeard ? listen(chat, id) : undefined
  const onEvent: TurnMessages['apply'] = (event) => messages?.apply(event)
  const follow = (): Promise<number> =>
    followRun(context, runtime, id, progress, { isDurable, isOneOfMany: true, onEvent })
  let isStopped = false
  let code: number | undefined
  try {
    code = await terminal.work(follow, {
      messages,
      onStop(key) {
        // A second signal ends the process.
        if (!isStopped || key === 'ctrl-c') process.emit('SIGINT', 'SIGINT')
        isStopped = true
      },
    })
    return code
  } finally {
    if (messages !== undefined) await sendRest(messages, terminal, code === undefined || code === INTERRUPTED)
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

/** Takes what a person says to a run. In plain lines it is said what comes of it. */
function listen({ runtime, context, screen }: Chat, runId: string): TurnMessages {
  const { flags, io } = context
  const say = (words: string): void => {
    if (screen === undefined && !flags.quiet) io.err(`svc: ${words}\n`)
    screen?.refresh()
  }
  return new TurnMessages(runtime, runId, {
    sent: () => say('sent: it is read before the next step'),
    refused(problem) {
      if (problem !== undefined) reportError(problem, io, false, flags.verbose)
      say('the run takes no more messages: it is the next turn')
    },
  })
}

/** @param isStopped whether the run was stopped: then the person says whether they still want it */
async function sendRest(messages: TurnMessages, terminal: ChatTerminal, isStopped: boolean): Promise<void> {
  const texts = await messages.rest().catch(() => undefined)
  if (texts === undefined || isStopped) terminal.giveBack(texts ?? messages.unread.map(({ text }) => text))
  else if (texts.length > 0) terminal.sendNext(texts.join('\n\n'))
}
