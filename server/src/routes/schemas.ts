/** Parts of requests and answers that several routes share. */

import { Complexity, ErrorInfo, ExecutionResult, PlanResult } from '@svc/core/schema'
import type { TSchema } from 'typebox'
import * as Type from 'typebox'

const closed = { additionalProperties: false } as const

export const byId = <Id extends TSchema>(schema: Id) => Type.Object({ id: schema }, closed)

/** Query parameters of every list. */
export const listQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'default 20' })),
  after: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'the `nextCursor` of the page before' }),
  ),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'default desc: newest first' })),
}

/** Query parameter of what reads runs and conversations. */
export const reach = {
  all: Type.Optional(
    Type.Boolean({
      description: '1: also what other folders have that share the store, which can be read and nothing else',
    }),
  ),
}

export const query = <Fields extends Record<string, TSchema>>(fields: Fields) => Type.Object(fields, closed)

/** One page of a list. */
export const PageOf = (item: TSchema) =>
  Type.Object({
    data: Type.Array(item),
    hasMore: Type.Boolean(),
    nextCursor: Type.Optional(Type.String({ description: 'hand it back as `after`' })),
  })

export const Accepted = Type.Object({ runId: Type.String(), status: Type.String() })

/** What a run returns, by its mode; one that ended before it had anything to return says how. */
export const AnyResult = Type.Union([
  ExecutionResult,
  PlanResult,
  Complexity,
  Type.Object({ runId: Type.String(), status: Type.String(), error: Type.Optional(ErrorInfo) }),
])
