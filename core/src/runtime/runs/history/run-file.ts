import type { RunEvent } from '../../../contracts/log/event.ts'
import { isTerminalEvent } from '../../../contracts/log/event.ts'
import type { StepRow } from '../../../contracts/log/journal.ts'
import type { RunLock } from '../../../contracts/run/run-lock.ts'
import { RunView } from '../../../contracts/run/run-view.ts'
import type { RunRow } from '../../../contracts/store/store.ts'
import { toSvcError } from '../../../errors.ts'
import { digestBytes, startDigest } from '../../../support/ids.ts'
import { redactTexts } from '../../../support/secrets.ts'
import type { Environment } from '../../environment.ts'
import { isFileChange } from '../../journal/file-changes.ts'
import { found } from '../../stores/paging.ts'
import { listReadable } from '../service/run-events.ts'
import { lockHere, lockOf } from '../worker/run-lock.ts'
import { FORMAT, readEvent, readHead, readLock, readPayload, readStep, wrong } from './run-file-lines.ts'

/** A line holds one fact; none that a run may hold comes near this. */
const MAX_LINE_BYTES = 256 * 1024 * 1024
const MAX_DEPTH = 500
/** Many times what the longest log may take. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024
/** Of all lines: each takes up to a hundred times of memory what it takes in the file. A long run has some hundred thousand. */
const MAX_VALUES = 4_000_000

const [QUOTE, COMMA, BACKSLASH, BRACKET, BRACE] = Buffer.from('",\\[{') as unknown as [
  number,
  number,
  number,
  number,
  number,
]

/** What a file of one run holds. */
export interface RunFile {
  row: RunRow
  events: readonly RunEvent[]
  steps: readonly StepRow[]
  payloads: readonly Uint8Array[]
  /** What the run was made with; absent where the file does not say. */
  lock?: RunLock
}

/** The same of a run of a store, for this environment: with what the run would be made with here. */
export async function readRecording(row: RunRow, env: Environment): Promise<RunFile & { lock: RunLock }> {
  const { store } = env
  const events = await store.events.list(row.id)
  const steps = await store.steps(row.id)
  const refs = new Set<string>()
  collectRefs([events, steps], refs)
  const payloads = await Promise.all([...refs].map((ref) => store.payloads.get(ref)))
  return {
    row,
    events,
    steps,
    payloads: payloads.filter((bytes) => bytes !== undefined),
    lock: await lockHere(env, events),
  }
}

/**
 * A run as JSON Lines: the run's row, what it was made with, its events as they are, its steps, the large values that these
 * name, and at last how many lines there were and their SHA-256, so that a cut or changed file is known as one. Of a damaged
 * log it holds the events before the damage and a line that says so, and cannot be imported.
 *
 * @throws NotFoundError `run_not_found` for a run that is removed while it is read: the file has no end then
 */
export async function* writeRunFile(row: RunRow, env: Environment): AsyncGenerator<Uint8Array> {
  const { store, redact } = env
  const hash = startDigest()
  let lines = 0
  const toLine = (value: object): Uint8Array => {
    const line = Buffer.from(`${JSON.stringify('payload' in value ? value : redactTexts(value, redact))}\n`)
    hash.update(line)
    lines++
    return line
  }
  // The result stands in the last event; what this store noted for itself is of no use elsewhere.
  const { result: _, released: _released, imported: _imported, ...run } = row
  yield toLine({ svcRun: FORMAT, run })
  const { events, isWhole } = await listReadable(store, row.id)
  const lock = await lockOf(env, row, events)
  if (lock !== undefined) yield toLine({ lock })
  const refs = new Set<string>()
  for (const event of events) {
    collectRefs(event, refs)
    yield toLine(event)
  }
  if (!isWhole) yield toLine({ damaged: { code: 'log_corrupt', after: events.at(-1)?.seq } })
  // What a recorded run is answered from is kept with it, too.
  const steps = isWhole ? [...(env.cassette?.steps ?? []), ...(await store.steps(row.id))] : []
  for (const step of new Map(steps.map((each) => [each.key, each])).values()) {
    if (isFileChange(step)) continue
    collectRefs(step, refs)
    yield toLine({ step })
  }
  for (const ref of refs) {
    const bytes = await store.payloads.get(ref)
    if (bytes !== undefined) yield toLine({ payload: Buffer.from(bytes).toString('base64') })
  }
  // A run is removed as a whole: what was read of one that is still there is all of it.
  found(await store.runs.get(row.id), 'run', row.id)
  yield toLine({ end: { lines, sha256: hash.copy().digest('hex') } })
}

/**
 * @throws ValidationError `validation_failed` for a file that is no run, that was cut or changed, or that a newer svc
 *   wrote; ConflictError `run_not_finished` for a run that had not ended
 */
export async function readRunFile(source: AsyncIterable<Uint8Array>): Promise<RunFile> {
  const hash = startDigest()
  const events: RunEvent[] = []
  const steps: StepRow[] = []
  const payloads: Uint8Array[] = []
  let run: RunRow | undefined
  let lock: RunLock | undefined
  let lines = 0
  let values = 0
  let isComplete = false
  for await (const line of linesOf(source)) {
    if (isComplete) throw wrong(lines + 1, 'something follows the end of the run')
    values += countValues(line, lines + 1)
    if (values > MAX_VALUES)
      throw wrong(lines + 1, `the file has more than ${MAX_VALUES} values, as no exported run has`)
    const value = parseLine(line, lines + 1)
    if (run === undefined) run = readHead(value)
    else if ('end' in value) isComplete = checkEnd(value.end, lines, hash.copy().digest('hex'))
    else if ('damaged' in value)
      throw wrong(lines + 1, `the log of run ${run.id} was damaged when it was exported: it can be read, not imported`)
    else if ('lock' in value) lock = readLock(value.lock, lines + 1)
    else if ('step' in value) steps.push(readStep(value.step, lines + 1))
    else if ('payload' in value) payloads.push(readPayload(value.payload, lines + 1))
    else events.push(readEvent(value, run.id, events.length + 1, lines + 1))
    hash.update(line)
    lines++
  }
  if (run === undefined) throw wrong(1, 'the file is empty')
  if (!isComplete) throw wrong(lines, 'the file ends before the run does: it was cut, export it again')
  try {
    new RunView(events)
  } catch (thrown) {
    throw wrong(1, `its events cannot be read: ${toSvcError(thrown).message}`)
  }
  checkRefs([events, steps], payloads)
  return { row: withResult(run, events, steps), events, steps, payloads, ...(lock && { lock }) }
}

/** Nothing is kept that the run does not name. */
function checkRefs(records: unknown, payloads: readonly Uint8Array[]): void {
  const refs = new Set<string>()
  collectRefs(records, refs)
  if (payloads.some((bytes) => !refs.has(digestBytes(bytes))))
    throw wrong(1, 'it has a /payload that nothing in it names')
}

function checkEnd(end: unknown, lines: number, sha256: string): true {
  const said = end as { lines?: unknown; sha256?: unknown } | null
  if (said?.lines === lines && said.sha256 === sha256) return true
  throw wrong(lines + 1, 'the file is not as it was written: what it holds does not match its last line')
}

function withResult(row: RunRow, events: readonly RunEvent[], steps: readonly StepRow[]): RunRow {
  const last = events.at(-1)
  if (events[0]?.type !== 'run.created')
    throw wrong(1, `its first event is ${events[0]?.type}, and must be run.created`)
  const early = events.slice(0, -1).find(isTerminalEvent)
  if (early !== undefined) throw wrong(1, `event ${early.seq} is ${early.type}, and others follow it`)
  const late = steps.find(({ seq }) => seq > events.length)
  if (late !== undefined)
    throw wrong(1, `the step ${late.key} was recorded at event ${late.seq}, and there are ${events.length}`)
  const isEnd = last !== undefined && isTerminalEvent(last) && last.type === `run.${row.status}`
  if (!isEnd || row.lastSeq !== events.length) {
    throw wrong(1, `run ${row.id} is ${row.status} after ${row.lastSeq} events, which its events do not say`)
  }
  return { ...row, result: last.data.result }
}

function parseLine(line: Uint8Array, number: number): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(line).toString())
  } catch {
    throw wrong(number, 'this is no JSON: the file was cut or changed, or is no exported run')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(number, 'this is no JSON object')
  return value as Record<string, unknown>
}

/** How many values a line of JSON holds, before any of them is made. @throws ValidationError where they nest without end */
function countValues(line: Uint8Array, number: number): number {
  let values = 0
  let depth = 0
  for (let at = 0; at < line.length; at++) {
    const sign = line[at]
    if (sign === QUOTE) for (at++; at < line.length && line[at] !== QUOTE; at++) at += line[at] === BACKSLASH ? 1 : 0
    else if (sign === COMMA) values++
    else if (sign === BRACKET || sign === BRACE) {
      values++
      if (++depth > MAX_DEPTH)
        throw wrong(number, `it is nested more than ${MAX_DEPTH} levels deep, as no exported run is`)
    } else if (sign === BRACKET + 2 || sign === BRACE + 2) depth--
  }
  return values
}

/** Each with its line break. */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array[] = []
  let size = 0
  let all = 0
  for await (const bytes of source) {
    all += bytes.length
    if (all > MAX_FILE_BYTES) throw wrong(1, 'the file is longer than any exported run')
    let from = 0
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
      rest.push(bytes.subarray(from, at + 1))
      yield rest.length === 1 ? (rest[0] as Uint8Array) : Buffer.concat(rest)
      rest = []
      size = 0
      from = at + 1
    }
    if (from === bytes.length) continue
    rest.push(bytes.subarray(from))
    size += bytes.length - from
    if (size > MAX_LINE_BYTES) throw wrong(1, 'a line is longer than any of an exported run')
  }
  if (rest.length > 0) yield Buffer.concat(rest)
}

/** The large values that a record names by their SHA-256. */
function collectRefs(value: unknown, refs: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) {
    if ((name === 'ref' || name === 'payloadRef') && typeof part === 'string' && /^[0-9a-f]{64}$/.test(part)) {
      refs.add(part)
    } else collectRefs(part, refs)
  }
}

/** Whether two rows are of one and the same run. */
export const isSameRun = (one: RunRow, other: RunRow): boolean => marksOf(one) === marksOf(other)

const marksOf = ({ create, createdAt, finishedAt, lastSeq }: RunRow): string =>
  JSON.stringify([create, createdAt, finishedAt, lastSeq])
