import type { MemoryRecord } from '../../../contracts/memory/memory.ts'
import { isoTime } from '../../../support/iso-time.ts'
import { importanceOf } from './importance.ts'
import type { MemoryInput } from './memory-input.ts'
import { momentOf } from './record-scope.ts'

/**
 * The record of what is to be remembered. Only what a person said is trusted, unless the caller doubts it: what comes
 * from a model, a tool or the web is untrusted whatever it says of itself.
 */
export function newRecord({ ttlSeconds, ...input }: MemoryInput, id: string, now: number): MemoryRecord {
  const { content, kind = 'event', source, threadId } = input
  const origin = source?.origin ?? 'user'
  const agentId = source?.agentId ?? input.agentId
  const time = isoTime(now)
  return {
    id,
    layer: input.layer ?? 'episodic',
    kind,
    content,
    tags: [...new Set(input.tags ?? [])],
    ...(threadId === undefined ? {} : { threadId }),
    source: {
      ...(source?.runId === undefined ? {} : { runId: source.runId }),
      ...(agentId === undefined ? {} : { agentId }),
      origin,
      ...(origin === 'model' && source?.untainted === true ? { untainted: true } : {}),
    },
    ...(input.outcome === undefined ? {} : { outcome: input.outcome }),
    trust: origin === 'user' ? (input.trust ?? 'trusted') : 'untrusted',
    importance: input.importance ?? importanceOf({ content, kind, origin }),
    validFrom: input.validFrom === undefined ? time : isoTime(momentOf(input.validFrom, 'validFrom')),
    createdAt: time,
    lastAccessedAt: time,
    accessCount: 0,
    ...(ttlSeconds === undefined ? {} : { expiresAt: isoTime(now + ttlSeconds * 1000) }),
  }
}
