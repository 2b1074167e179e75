import type { Message, ModelRequest } from '@svc/core'
import { isRecord, type Json } from './json.ts'

/** What an assistant's turn brings back to the provider that made it, and to no other. */
export interface TurnState {
  /** Id of the provider: another one does not understand it, or cannot check its signatures. */
  readonly provider: string
}

/**
 * The state of each assistant's turn of a request, where this provider made it: its own, of the last one also that of the
 * request.
 *
 * @param has whether a state has the fields that the wire format keeps in it
 */
export function statesOf<State extends TurnState>(
  { messages, state }: ModelRequest,
  provider: string,
  has: (state: Json) => boolean,
): (message: Message) => State | undefined {
  const last = messages.findLast(({ role }) => role === 'assistant')
  return (message) => {
    const own: unknown = message.state ?? (message === last ? state : undefined)
    return isRecord(own) && own.provider === provider && has(own) ? (own as unknown as State) : undefined
  }
}

/** Whether the blocks or items of a state are still what the message says: the same calls, in the same order. */
export const hasCalls = (ids: readonly unknown[], { toolCalls = [] }: Message): boolean =>
  ids.length === toolCalls.length && toolCalls.every(({ callId }, position) => callId === ids[position])
