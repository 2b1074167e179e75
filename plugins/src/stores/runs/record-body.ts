import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import { type Row, toBytes } from '../sqlite.ts'
import { corrupt } from './columns.ts'

/** Shorter records stand as they are. */
const SHORT = 256

/**
 * What records of every run have in common, the most frequent last. It belongs to the format: a record that was written
 * with another one cannot be read.
 */
const COMMON = Buffer.from(
  '"role":"tool","source":"builtin","tool":"","args":{},"risk":"read","taint":[]{"type":"tool.requested","tool.started","tool.completed","data":{"tool":"","result":"","bytes":0,"truncated":false,"durationMs":0,"trust":"trusted"}' +
    '{"type":"agent.started","agent.completed","stage.started","data":{"plugins":[]}},{"type":"stage.completed","data":{"durationMs":0.,"plugin":""}}' +
    '{"type":"step.completed","time":"2026-01-01T00:00:00.000Z","stage":"execute","agentId":"agent-1","stepId":"step-1","data":{"output":"","usage":{"inputTokens":100,"outputTokens":100,"estimated":false}}},' +
    '{"type":"topology.updated","data":{"nodes":[{"id":"step-1","kind":"step","label":"","status":"completed"},{"id":"step-2","status":"running"}],"edges":[]}},' +
    '{"type":"step.started","data":{"objective":"","dependsOn":["step-1"]}},' +
    '{"e":[{"type":"model.started","time":"2026-01-01T00:00:00.000Z","stage":"execute","agentId":"agent-1","callId":"call_","stepId":"step-1","data":{"provider":"","model":"","params":{},"estimatedInputTokens":100}},' +
    '{"type":"budget.updated","data":{"agentId":"agent-1","used":1000,"remaining":1000,"costUsd":null}},' +
    '{"type":"model.completed","data":{"provider":"","model":"","toolCalls":[],"finishReason":"stop","usage":{"inputTokens":100,"outputTokens":100,"estimated":true},"costUsd":null,"latencyMs":100,"cached":false}},' +
    '{"type":"message.completed","data":{"role":"assistant","content":[{"type":"text","text":""}],"streamed":false}}],' +
    '"s":[{"key":"execute/agent:agent-1/step:step-1/attempt:1/try:1/model:1","effect":"pure","state":"done","time":17,"seq":10,"outcome":{"text":"","toolCalls":[],"finishReason":"stop"}}]}',
)
const OPTIONS = { level: 1, windowBits: 12, memLevel: 8, dictionary: COMMON }

/** The body of a log row with its checksum: several commits of a run fit into one page, so that each writes fewer. */
export function toBody(record: string): { body: string | Buffer; crc: number } {
  const body = record.length <= SHORT ? record : deflateRawSync(record, OPTIONS)
  return { body, crc: crc32(body) }
}

/**
 * What a log row says.
 *
 * @throws RunError `log_corrupt`
 */
export function fromBody({ body, crc, type }: Row, runId: string): string {
  const bytes = toBytes(body)
  if (bytes === undefined || isDamaged(bytes, crc)) throw corrupt(runId, 'its log')
  try {
    return (type === 'text' ? bytes : inflateRawSync(bytes, OPTIONS)).toString()
  } catch (thrown) {
    throw corrupt(runId, 'its log', thrown)
  }
}

function isDamaged(bytes: Uint8Array, crc: Row[string]): boolean {
  return crc32(bytes) !== crc
}
