import { type MemoryApi, SvcError, type Tool } from '@svc/core'
import { MemoryKind } from '@svc/core/schema'
import * as Type from 'typebox'
import { withoutEchoes } from '../../defaults/memory/run-memories.ts'
import { checkArgs } from '../configured/check-args.ts'

const parameters = Type.Object(
  {
    content: Type.String({ minLength: 1, maxLength: 8000, description: 'what to remember, in words of its own' }),
    kind: Type.Optional(MemoryKind),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 16 })),
  },
  { additionalProperties: false },
)
const KEPT_KEYS = 1000

/**
 * A tool that remembers something for later runs.
 *
 * What a model wants remembered may come from what it read, so it is untrusted, whatever it says of itself; what only
 * repeats the memories in its prompt is refused.
 *
 * @param socket holds the memory, as `host.memory` does
 */
export function createRememberTool(socket: MemorySocket<'write'>): Tool {
  const done = new Map<string, Promise<string>>()
  return {
    id: 'remember',
    description:
      'Remembers a fact, decision, preference or lesson for later runs. Use it when the user asks to remember something, or for what will matter again; one thing a call, understandable without this conversation.',
    parameters: { ...parameters },
    risk: 'write',
    idempotent: true,
    keepsChanges: true,
    timeoutMs: 5000,
    readsNothing: true,
    touches: async () => ({}),
    async run(args, { signal, agentId, idempotencyKey, owner }) {
      signal.throwIfAborted()
      const { content: said, kind = 'fact', tags = [] } = checkArgs('remember', parameters, args)
      const earlier = done.get(idempotencyKey)
      if (earlier !== undefined) return earlier
      const content = withoutEchoes(said)
      if (content === '') {
        throw new SvcError(
          'tool_bad_args',
          'remember: content only repeats what is remembered already; say what is new',
        )
      }
      const written = memoryIn(socket, owner)
        .write({ content, kind, tags }, { agentId, origin: 'model' })
        .then(({ id }) => `Remembered as ${id}.`)
      done.set(idempotencyKey, written)
      written.catch(() => done.delete(idempotencyKey))
      const oldest = done.keys().next()
      if (done.size > KEPT_KEYS && oldest.done !== true) done.delete(oldest.value)
      return written
    },
  }
}

/** Holds the memory, as `host.memory` does. */
export interface MemorySocket<Calls extends 'query' | 'write'> {
  get(): Pick<MemoryApi, Calls | 'of'> | undefined
}

/** The memory of an owner. @throws SvcError `tool_failed` where no plugin provides one, or it keeps owners not apart */
export function memoryIn<Calls extends 'query' | 'write'>(
  socket: MemorySocket<Calls>,
  owner = '',
): Pick<MemoryApi, Calls> {
  const memory = socket.get()
  const own = owner === '' ? memory : memory?.of?.(owner)
  if (own !== undefined) return own
  throw new SvcError(
    'tool_failed',
    memory === undefined
      ? 'no plugin provides a memory: remove components.memory from the config, or answer without it'
      : 'the memory keeps those who use this server not apart: answer without it',
  )
}
