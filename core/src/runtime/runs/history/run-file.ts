import { SvcConfig } from '../../../contracts/config.ts'
import type { RunEvent } from '../../../contracts/log/event.ts'
import { isTerminalEvent } from '../../../contracts/log/event.ts'
import { DURABLE_EVENT_DATA } from '../../../contracts/log/event-data.ts'
import type { StepRow } from '../../../contracts/log/journal.ts'
import { ExecutionResult, PlanResult } from '../../../contracts/run/result.ts'
import { RunCreate, Run as RunSchema } from '../../../contracts/run/run.ts'
import { isTerminal } from '../../../contracts/run/run-end.ts'
import { RunLock } from '../../../contracts/run/run-lock.ts'
import { RunView } from '../../../contracts/run/run-view.ts'
import { Complexity } from '../../../contracts/stages/complexity.ts'
import { RunLimits } from '../../../contracts/store/run-row.ts'
import type { RunRow } from '../../../contracts/store/store.ts'
import { ConflictError, toSvcError, ValidationError } from '../../../errors.ts'
import { startDigest } from '../../../support/ids.ts'
import { redactTexts } from '../../../support/secrets.ts'
import { findErrors, fits } from '../../../validate.ts'
import type { Environment } from '../../environment.ts'
import { JOURNAL_FORMAT } from '../../journal/keyed-journal.ts'
import { listReadable } from '../service/run-events.ts'
import { lockedSettings, lockHere, lockOf } from '../worker/run-lock.ts'

/** Version of the file's layout. */
const FORMAT = 2
/** A line holds one fact; none that a run may hold comes near this. */
const MAX_LINE_BYTES = 256 * 1024 * 1024
const MAX_DEPTH = 500

const RESULTS = [ExecutionResult, PlanResult, Complexity]

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
    lock: await lockHere(env, row, events),
  }
}

/**
 * A run as JSON Lines: the run's row, what it was made with, its events as they are, its steps, the large values that these
 * name, and at last how many lines there were and their SHA-256, so that a cut or changed file is known as one. Of a damaged
 * log it holds the events before the damage and a line that says so, and cannot be imported.
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
  for (const step of isWhole ? await store.steps(row.id) : []) {
    collectRefs(step, refs)
    yield toLine({ step })
  }
  for (const ref of refs) {
    const bytes = await store.payloads.get(ref)
    if (bytes !== undefined) yield toLine({ payload: Buffer.from(bytes).toString('base64') })
  }
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
  let isComplete = false
  for await (const line of linesOf(source)) {
    if (isComplete) throw wrong(lines + 1, 'something follows the end of the run')
    const value = parseLine(line, lines + 1)
    if (run === undefined) run = readHead(value)
    else if ('end' in value) isComplete = checkEnd(value.end, lines, hash.copy().digest('hex'))
    else if ('damaged' in value)
      throw wrong(lines + 1, `the log of run ${run.id} was damaged when it was exported: it can be read, not imported`)
    else if ('lock' in value) lock = readLock(value.lock, lines + 1)
    else if ('step' in value) steps.push(readStep(value.step, lines + 1))
    else if ('payload' in value) payloads.push(Buffer.from(String(value.payload), 'base64'))
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
  return { row: withResult(run, events), events, steps, payloads, ...(lock && { lock }) }
}

function readHead(value: Record<string, unknown>): RunRow {
  const { svcRun, run } = value
  if (typeof svcRun !== 'number' || typeof run !== 'object' || run === null) {
    throw wrong(1, 'this is no exported run: it must begin with {"svcRun":2,"run":{...}}')
  }
  if (svcRun > FORMAT || Number((run as RunRow).format) > JOURNAL_FORMAT) {
    throw wrong(1, 'the run was exported by a newer svc: update svc')
  }
  const [error] = findErrors(RunSchema, run)
  if (error !== undefined) throw wrong(1, `/run${error.path} ${error.message}`)
  const row = run as RunRow
  if (!/^run_[0-9A-HJKMNP-TV-Z]{26}$/.test(row.id)) throw wrong(1, '/run/id must be run_ and a ULID')
  const [wrongRequest] = findErrors(RunCreate, row.create)
  if (wrongRequest !== undefined) throw wrong(1, `/run/create${wrongRequest.path} ${wrongRequest.message}`)
  const [wrongLimit] = row.limits === undefined ? [] : findErrors(RunLimits, row.limits)
  if (wrongLimit !== undefined) throw wrong(1, `/run/limits${wrongLimit.path} ${wrongLimit.message}`)
  if (isTerminal(row.status)) return row
  throw new ConflictError(
    'run_not_finished',
    `import: run ${row.id} was ${row.status} when it was exported, and goes on where it is: export it when it has ended`,
  )
}

function readEvent(value: Record<string, unknown>, runId: string, seq: number, line: number): RunEvent {
  const event = value as unknown as RunEvent
  const isEvent = event.v === 1 && typeof event.type === 'string' && typeof event.data === 'object'
  if (!isEvent || event.runId !== runId) throw wrong(line, `this is no event of run ${runId}`)
  if (event.seq !== seq) throw wrong(line, `the event has number ${event.seq}, where number ${seq} must be`)
  const schema = (DURABLE_EVENT_DATA as Partial<Record<string, object>>)[event.type]
  const [error] = schema === undefined ? [] : findErrors(schema, event.data)
  if (error !== undefined) throw wrong(line, `${event.type}: /data${error.path} ${error.message}`)
  if (isTerminalEvent(event) && !RESULTS.some((result) => fits(result, event.data.result)))
    throw wrong(line, `${event.type}: /data/result is no result of a run`)
  return event
}

function readLock(value: unknown, line: number): RunLock {
  const [error] = findErrors(RunLock, value)
  if (error !== undefined) throw wrong(line, `/lock${error.path} ${error.message}`)
  const lock = value as RunLock
  const [wrongSetting] = findErrors(SvcConfig, lock.config)
  if (wrongSetting !== undefined) throw wrong(line, `/lock/config${wrongSetting.path} ${wrongSetting.message}`)
  // Nothing that this file could name is to be loaded, started, written or reached.
  const { components = {}, policy: { root: _, ...rules } = {} } = lock.config
  const off = Object.entries(components).filter(([, chosen]) => chosen === false)
  const config = {
    ...Object.fromEntries(lockedSettings(lock.config)),
    policy: rules,
    components: Object.fromEntries(off),
  }
  return { ...lock, config: config as RunLock['config'] }
}

function readStep(value: unknown, line: number): StepRow {
  const step = value as Partial<StepRow> | null
  const isStep = typeof step?.key === 'string' && (step.state === 'begun' || step.state === 'done')
  if (!isStep || typeof step.seq !== 'number' || typeof step.time !== 'number') throw wrong(line, 'this is no step')
  return step as StepRow
}

function checkEnd(end: unknown, lines: number, sha256: string): true {
  const said = end as { lines?: unknown; sha256?: unknown } | null
  if (said?.lines === lines && said.sha256 === sha256) return true
  throw wrong(lines + 1, 'the file is not as it was written: what it holds does not match its last line')
}

function withResult(row: RunRow, events: readonly RunEvent[]): RunRow {
  const last = events.at(-1)
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
  if (isTooDeep(value)) throw wrong(number, `it is nested more than ${MAX_DEPTH} levels deep, as no exported run is`)
  return value as Record<string, unknown>
}

/** Level by level: what goes down such a value by recursion runs out of stack. */
function isTooDeep(value: object): boolean {
  let level: object[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((one) => Object.values(one).filter((part) => typeof part === 'object' && part !== null))
  }
  return false
}

/** Each with its line break. */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array[] = []
  let size = 0
  for await (const bytes of source) {
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

const wrong = (line: number, why: string): ValidationError =>
  new ValidationError('validation_failed', `import: line ${line}: ${why}`, {
    errors: [{ path: `/${line - 1}`, message: why }],
  })

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
