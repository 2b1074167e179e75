import type { MemoryRecord } from '../memory/memory.ts'

/** Whether a record may carry instructions from outside, so that who reads it asks before acting. */
export const taints = ({ trust, source }: Pick<MemoryRecord, 'trust' | 'source'>): boolean =>
  trust === 'untrusted' && source.untainted !== true
