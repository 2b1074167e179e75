import type { CommandContext } from '../frame/context.ts'
import { untilSignal } from '../frame/signals.ts'
import { createAgent } from './agent/create-agent.ts'
import { loadPackage } from './load-package.ts'
import { Sessions } from './session/sessions.ts'
import { MOST_MESSAGE_BYTES, openStdio } from './stdio.ts'

/**
 * Serves an editor over standard input and output, until standard input ends or a signal comes; then runs at work are cancelled.
 *
 * @returns the exit code
 */
export async function serveAcp(context: CommandContext): Promise<number> {
  const { io } = context
  const acp = await loadPackage()
  const stdio = openStdio(acp)
  const sessions = new Sessions(context, stdio)
  const connection = createAgent(acp, context, sessions).connect(stdio.stream)
  process.title = 'svc acp'
  const signals = untilSignal()
  try {
    const unread = new Promise((resolve) => io.unread.addEventListener('abort', resolve))
    await Promise.race([connection.closed, signals.reason, unread])
    const { reason } = connection.signal
    await sessions.closeAll()
    if (!(reason instanceof acp.MessageTooLargeError)) return signals.exitCode() ?? 0
    io.err(`svc: a message of the editor has more than ${MOST_MESSAGE_BYTES} bytes: nothing after it can be read\n`)
    return 1
  } finally {
    signals.stop()
    connection.close()
  }
}
