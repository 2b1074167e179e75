import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { ListQuery, Page } from '../page.ts'
import { RunOutcome } from '../run/result.ts'
import { ByName, Count, Fraction, IsoTime, Text, Texts, Tokens } from '../schema.ts'
import { Layer } from '../words.ts'

/** What sort of thing a record says. */
export const MemoryKind = Type.Enum(['fact', 'event', 'procedure', 'summary', 'decision', 'lesson', 'preference'])
export type MemoryKind = Static<typeof MemoryKind>

/** Which memories are meant; absent = the whole store. Empty: those that belong to no thread, agent or run. */
export const MemoryScope = Type.Object(
  {
    threadId: Type.Optional(Type.String()),
    agentId: Type.Optional(Type.String()),
    runId: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)
export type MemoryScope = Static<typeof MemoryScope>

/** One thing remembered. */
export const MemoryRecord = Type.Object({
  id: Text('`mem_` + ULID'),
  layer: Layer,
  kind: MemoryKind,
  content: Type.String(),
  tags: Texts('for filtering'),
  threadId: Type.Optional(Type.String()),
  source: Type.Object({
    runId: Type.Optional(Type.String()),
    agentId: Type.Optional(Type.String()),
    origin: Type.Enum(['user', 'model', 'tool', 'web']),
    untainted: Type.Optional(
      Type.Boolean({
        description: 'true for words of a model whose run had read nothing untrusted: who recalls them is not tainted',
      }),
    ),
  }),
  trust: Type.Enum(['trusted', 'untrusted']),
  /** Of what a run left: how it ended. Only what was verified is recalled unasked as known. */
  outcome: Type.Optional(RunOutcome),
  importance: Fraction('how much it matters'),
  validFrom: IsoTime('since when it is true'),
  validTo: Type.Optional(IsoTime('until when it was true')),
  createdAt: IsoTime('when it was written'),
  lastAccessedAt: IsoTime('when it was last found'),
  accessCount: Count('how often it was found'),
  expiresAt: Type.Optional(IsoTime('when it is dropped')),
})
export type MemoryRecord = Static<typeof MemoryRecord>

/** A record that was found. */
export const MemoryHit = Type.Object({
  ...MemoryRecord.properties,
  score: Fraction('how well it fits the query'),
  parts: ByName(Type.Number(), { description: 'what the score is made of' }),
})
export type MemoryHit = Static<typeof MemoryHit>

/** Something to remember. */
export const MemoryWrite = Type.Object(
  {
    content: Type.String({ minLength: 1, maxLength: 262_144 }),
    layer: Type.Optional(Layer),
    kind: Type.Optional(MemoryKind),
    tags: Type.Optional(Texts('for filtering')),
    threadId: Type.Optional(Type.String()),
    agentId: Type.Optional(Type.String()),
    importance: Type.Optional(Fraction('how much it matters')),
    ttlSeconds: Type.Optional(Type.Number({ minimum: 0 })),
  },
  { additionalProperties: false },
)
export type MemoryWrite = Static<typeof MemoryWrite>

/** What is to be changed of a record; what is left out stays as it is. */
export const MemoryChange = Type.Object(
  {
    content: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 262_144,
        description: "a new text, which makes the record the person's own",
      }),
    ),
    kind: Type.Optional(MemoryKind),
    tags: Type.Optional(Texts('in place of those that it has')),
    importance: Type.Optional(Fraction('how much it matters')),
    validTo: Type.Optional(
      Type.Union([IsoTime('until when it was true'), Type.Null()], {
        description: 'until when it was true; null: it still is',
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
)
export type MemoryChange = Static<typeof MemoryChange>

/** A question to the memory. */
export const MemoryQuery = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 200_000 }),
    layers: Type.Optional(Type.Array(Layer)),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'default 10' })),
    tokenBudget: Type.Optional(Tokens('hits are packed into this many tokens')),
    asOf: Type.Optional(IsoTime('what was true then')),
    minScore: Type.Optional(Fraction('hits below are left out')),
    scope: Type.Optional(MemoryScope),
  },
  { additionalProperties: false },
)
export type MemoryQuery = Static<typeof MemoryQuery>

/** What a query found. */
export const MemoryResult = Type.Object({
  data: Type.Array(MemoryHit),
  low: Type.Boolean({ description: 'true when too little of the query was matched to trust the hits' }),
  tokens: Tokens('estimate for all hits'),
})
export type MemoryResult = Static<typeof MemoryResult>

/** Who said what is to be remembered. */
export type MemorySource = MemoryRecord['source']

/**
 * What the plugin in the slot `memory` provides: `runtime.memory`, the tools `remember` and `recall`, and `svc memory` are
 * answered by it.
 *
 * Contract: a record holds who said it, and only what a person said is trusted. A call rejects when what it writes or
 * reads would not outlive the process although it is meant to.
 */
export interface MemoryApi {
  /** @param source who says it; left out, a person does. @throws ValidationError `validation_failed` */
  write(memory: MemoryWrite, source?: MemorySource): Promise<MemoryRecord>
  /** @throws ValidationError `validation_failed` */
  query(query: MemoryQuery): Promise<MemoryResult>
  /** The newest first, 20 a page, unless asked otherwise. @throws ValidationError `validation_failed`, `invalid_cursor` */
  list(query?: ListQuery & { layer?: MemoryRecord['layer']; scope?: MemoryScope }): Promise<Page<MemoryRecord>>
  /** @throws NotFoundError `memory_not_found` */
  get(id: string): Promise<MemoryRecord>
  /** Deletes for good. @throws NotFoundError `memory_not_found` */
  delete(id: string): Promise<void>
  /**
   * Changes a record at a person's word. With a new text it is the person's own from then on: said by a user, trusted, of no
   * run, and without what was made of the old text. Without one, who said it and whether it is trusted stay. Absent where
   * records cannot be changed.
   *
   * @throws NotFoundError `memory_not_found`; ValidationError `validation_failed`
   */
  update?(id: string, change: MemoryChange): Promise<MemoryRecord>
  /** How many records each layer holds. Absent where that is not known. */
  counts?(): Promise<Record<MemoryRecord['layer'], number>>
  /**
   * The memory of one owner, apart from that of any other; this one is that of the empty owner. Absent where owners are not
   * kept apart: a server then refuses memory to all but the empty owner.
   */
  of?(owner: string): MemoryApi
}

/** The memory of a runtime: it says so where the plugin behind it cannot change records. */
export interface RuntimeMemory extends MemoryApi {
  /** @throws NotFoundError `memory_not_found`, or `method_not_allowed` where the memory cannot change records; ValidationError `validation_failed` */
  update(id: string, change: MemoryChange): Promise<MemoryRecord>
  of?(owner: string): RuntimeMemory
}
