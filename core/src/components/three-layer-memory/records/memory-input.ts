import type { Static } from 'typebox'
import * as Type from 'typebox'
import { MemoryRecord, MemoryWrite } from '../../../contracts/memory/memory.ts'
import { IsoTime } from '../../../contracts/schema.ts'

/** What a caller in the process may write: who said it, how its run ended and since when it is true as well. */
export const MemoryInput = Type.Object(
  {
    ...MemoryWrite.properties,
    source: Type.Optional(MemoryRecord.properties.source),
    trust: Type.Optional(MemoryRecord.properties.trust),
    outcome: MemoryRecord.properties.outcome,
    validFrom: Type.Optional(IsoTime('since when it is true; default now')),
  },
  { additionalProperties: false },
)
export type MemoryInput = Static<typeof MemoryInput>
