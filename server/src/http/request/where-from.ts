import type { IncomingMessage } from 'node:http'

/** Where a request comes from, for the audit log. */
export const whereFrom = ({ socket }: IncomingMessage): string => `http ${socket.remoteAddress ?? 'unknown'}`
