import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ByName } from '../schema.ts'

/** One span, named as OpenTelemetry's conventions for generative AI name it. */
export const Span = Type.Object({
  spanId: Type.String({ description: '16 hexadecimal digits' }),
  parentSpanId: Type.Optional(Type.String()),
  name: Type.String(),
  kind: Type.Enum(['INTERNAL', 'CLIENT']),
  startTime: Type.String(),
  endTime: Type.Optional(Type.String({ description: 'absent while it goes on' })),
  status: Type.Enum(['unset', 'ok', 'error']),
  attributes: ByName(Type.Unknown()),
})
export type Span = Static<typeof Span>

/** The spans of one run. The parent of the first is the caller's, where it sent a `traceparent`. */
export const RunTrace = Type.Object({
  runId: Type.String(),
  traceId: Type.String({ description: '32 hexadecimal digits' }),
  spans: Type.Array(Span),
})
export type RunTrace = Static<typeof RunTrace>
