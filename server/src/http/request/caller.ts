import type { IncomingMessage } from 'node:http'
import type { Caller } from '@svc/core'
import type { ServerContext } from '../../server-context.ts'

/** Who decides, for the audit log. */
export const toCaller = ({ socket }: IncomingMessage, hasKeys: boolean): Caller => ({
  who: hasKeys ? 'owner' : 'anonymous',
  from: `http ${socket.remoteAddress ?? 'unknown'}`,
})

/** What a handler works with, whose runtime writes down decisions under the caller's name. */
export const contextOf = (context: ServerContext, caller: Caller): ServerContext =>
  Object.create(context, { runtime: { value: context.runtime.as?.(caller) ?? context.runtime, enumerable: true } })
