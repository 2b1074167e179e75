import { serveAcp } from '../acp/serve-acp.ts'
import type { CommandContext } from '../frame/context.ts'

/** `svc acp`: an agent of the Agent Client Protocol over standard input and output, for an editor. */
export default function acp(context: CommandContext): Promise<number> {
  return serveAcp(context)
}
