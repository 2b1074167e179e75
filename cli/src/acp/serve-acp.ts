import type { CommandContext } from '../frame/context.ts'
import { untilSignal } from '../frame/signals.ts'
import { createAgent } from './agent/create-agent.ts'
import { loadPackage } from './load-package.ts'
import { Sessions } from './session/sessions.ts'
import { openStdio } from './stdio.ts'

/**
 * Serves an editor over standard input and output, until standard input ends or a signal comes; then runs at work are cancelled.
 *
 * @returns the exit code
 */
export async function serveAcp(context: CommandContext): Promise<number> {
  const acp = await loadPackage()
  const stdio = openStdio(acp)
  const sessions = new Sessions(context, stdio)
  const connection = createAgent(acp, context, sessions).connect(stdio.stream)
  process.title = 'svc acp'
  const signals = untilSignal()
  try {
    await Promise.race([connection.closed, signals.reason])
    await sessions.closeAll()
    return signals.exitCode() ?? 0
  } finally {
    signals.stop()
    connection.close()
  }
}
