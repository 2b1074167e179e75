import type { ServerContext } from '@modelcontextprotocol/server'
import type { McpHost } from './host.ts'

/** One call of a tool. */
export interface Call {
  host: McpHost
  context: ServerContext
  /** Whether the person at the client is asked by what is answered, as from 2026-07-28 on; else by a request while the call is open. */
  isModern: boolean
  /** Whether the client can ask its person. */
  canAsk: boolean
}

/** Whether what a run asks is asked of the person at the client. */
export const asks = ({ host, canAsk }: Call): boolean => canAsk && host.mayDecide
