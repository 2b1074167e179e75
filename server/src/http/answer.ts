import type { ServerResponse } from 'node:http'

/** What a handler answers. */
export interface Answer {
  status: number
  /** Sent as JSON; a text where the route names another media type. */
  body?: unknown
  headers?: Record<string, string>
  /** Writes the body itself, headers included, and ends the response. */
  write?: (response: ServerResponse) => void | Promise<void>
}

export const ok = (body: unknown, headers?: Record<string, string>): Answer => ({
  status: 200,
  body,
  ...(headers && { headers }),
})

export const NO_CONTENT: Answer = { status: 204 }
