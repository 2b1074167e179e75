import { type RunTrace, VERSION } from '@svc/core'

/** The kinds and states of a span as OTLP numbers them. */
const KIND = { INTERNAL: 1, CLIENT: 3 } as const
const STATUS = { unset: 0, ok: 1, error: 2 } as const

type AnyValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: AnyValue[] } }

interface KeyValue {
  key: string
  value: AnyValue
}

/** A request to `/v1/traces`, as JSON writes it: ids in hexadecimal digits, 64-bit numbers as texts. */
export interface OtlpRequest {
  resourceSpans: {
    resource: { attributes: KeyValue[] }
    scopeSpans: { scope: { name: string; version: string }; spans: OtlpSpan[] }[]
  }[]
}

interface OtlpSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: KeyValue[]
  status: { code: number }
}

/**
 * Spans as OTLP/HTTP takes them.
 *
 * @param clean what every text goes through
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function toOtlp(
  traces: readonly RunTrace[],
  resource: Readonly<Record<string, string>>,
  clean: (text: string) => string,
): OtlpRequest {
  const spans = traces.flatMap(({ runId, traceId, spans: ofRun }) =>
    ofRun.map(({ spanId, parentSpanId, name, kind, startTime, endTime = startTime, status, attributes }, index) => ({
      traceId,
      spanId,
      ...(parentSpanId !== undefined && { parentSpanId }),
      name: clean(name),
      kind: KIND[kind],
      startTimeUnixNano: toNano(startTime),
      endTimeUnixNano: toNano(endTime),
      attributes: toAttributes({ ...attributes, ...(index === 0 && { 'svc.run.id': runId }) }, clean),
      status: { code: STATUS[status] },
    })),
  )
  const scope = { name: 'svc', version: VERSION }
  return {
    resourceSpans: [{ resource: { attributes: toAttributes(resource, clean) }, scopeSpans: [{ scope, spans }] }],
  }
}

const toNano = (time: string): string => `${Date.parse(time)}000000`

const toAttributes = (attributes: Record<string, unknown>, clean: (text: string) => string): KeyValue[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value, clean) }],
  )

function toValue(value: unknown, clean: (text: string) => string): AnyValue {
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map((item) => toValue(item, clean)) } }
  return { stringValue: clean(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')) }
}
